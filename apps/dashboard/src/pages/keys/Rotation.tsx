import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { announce } from "../../ui/announce.ts";
import { ConfirmButton } from "../../ui/ConfirmButton.tsx";

interface RotationProps {
  /** The full name: "publishable key". */
  readonly name: string;
  /** The short name for the confirming button: "key". */
  readonly noun: string;
  readonly exists: boolean;
  /** Creates a new one and returns it. */
  readonly make: () => Promise<string>;
  readonly onMade: (value: string) => void;
  /** The key of the query to refresh. */
  readonly queryKey: QueryKey;
  /** The consequences. */
  readonly children: ReactNode;
}

/** Creates or replaces a key or secret, after a confirmation. */
export function Rotation({ name, noun, exists, make, onMade, queryKey, children }: RotationProps) {
  const cache = useQueryClient();
  const verb = exists ? "Replace" : "Create";
  const article = exists ? "the" : "a";
  return (
    <ConfirmButton
      label={`${verb} ${article} ${name}…`}
      title={`${verb} ${article} ${name}?`}
      verb={`${verb} the ${noun}`}
      verbLook={exists ? "danger" : "primary"}
      run={make}
      onDone={async (value) => {
        onMade(value);
        announce(`New ${name} created.`);
        await cache.invalidateQueries({ queryKey });
      }}
    >
      <p>{children}</p>
    </ConfirmButton>
  );
}
