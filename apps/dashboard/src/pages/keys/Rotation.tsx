import { type QueryKey, type UseMutationResult, useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { ConfirmDialog } from "../../ui/Dialog.tsx";

interface RotationProps {
  /** What it is, in full: "publishable key". */
  readonly name: string;
  /** What it is, on the button that confirms: "key". */
  readonly noun: string;
  readonly exists: boolean;
  /** Makes a new one and answers it. */
  readonly make: () => Promise<string>;
  readonly onMade: (value: string) => void;
  /** The read that says what is there. */
  readonly queryKey: QueryKey;
  /** What the new one means, and what becomes of the old one. */
  readonly children: ReactNode;
}

/** Makes a key or secret, or replaces the one that is there, once the consequence is confirmed. */
export function Rotation({ name, noun, exists, children, ...making }: RotationProps) {
  const [isAsking, setAsking] = useState(false);
  const rotate = useRotation({ ...making, name, onDone: () => setAsking(false) });
  const ask = () => {
    rotate.reset();
    setAsking(true);
  };
  const verb = exists ? "Replace" : "Make";
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
      announce(`New ${name} made.`);
      await cache.invalidateQueries({ queryKey });
    },
  });
}
