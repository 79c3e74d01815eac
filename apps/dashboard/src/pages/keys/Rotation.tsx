import { type QueryKey, type UseMutationResult, useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { ConfirmDialog } from "../../ui/Dialog.tsx";

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
export function Rotation({ name, noun, exists, children, ...making }: RotationProps) {
  const [isAsking, setAsking] = useState(false);
  const rotate = useRotation({ ...making, name, onDone: () => setAsking(false) });
  const ask = () => {
    rotate.reset();
    setAsking(true);
  };
  const verb = exists ? "Replace" : "Create";
  const article = exists ? "the" : "a";
  return (
    <>
      <Button onPress={ask}>{`${verb} ${article} ${name}…`}</Button>
      <ConfirmDialog
        title={`${verb} ${article} ${name}?`}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        verb={`${verb} the ${noun}`}
        look={exists ? "danger" : "primary"}
        isPending={rotate.isPending}
        problem={rotate.error}
        onConfirm={() => rotate.mutate()}
      >
        <p>{children}</p>
      </ConfirmDialog>
    </>
  );
}

type Making = Pick<RotationProps, "make" | "onMade" | "queryKey" | "name"> & { readonly onDone: () => void };

function useRotation({
  make,
  onMade,
  onDone,
  queryKey,
  name,
}: Making): UseMutationResult<string, Error, void> {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: make,
    onSuccess: async (value) => {
      onMade(value);
      onDone();
      announce(`New ${name} created.`);
      await cache.invalidateQueries({ queryKey });
    },
  });
}
