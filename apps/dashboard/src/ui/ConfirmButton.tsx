import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Button, type ButtonLook } from "./Button.tsx";
import { ConfirmDialog } from "./Dialog.tsx";

interface ConfirmButtonProps<T> {
  /** The button's text: "Remove…". */
  readonly label: string;
  /** What a screen reader says instead, if several buttons have the same text. */
  readonly ariaLabel?: string;
  readonly look?: ButtonLook;
  readonly isDisabled?: boolean;
  readonly title: string;
  /** The text of the button in the dialog: "Remove the price", never "OK". */
  readonly verb: string;
  readonly verbLook?: ButtonLook;
  readonly run: () => Promise<T>;
  /** Called when `run` has succeeded and the dialog has closed. */
  readonly onDone: (result: T) => unknown;
  /** The consequences. */
  readonly children: ReactNode;
}

/** A button that runs a change once its consequences are confirmed. If the change fails, the dialog says why and stays open. */
export function ConfirmButton<T>({
  label,
  ariaLabel,
  look,
  isDisabled,
  title,
  verb,
  verbLook,
  run,
  onDone,
  children,
}: ConfirmButtonProps<T>) {
  const [isOpen, setOpen] = useState(false);
  const change = useMutation({
    mutationFn: run,
    onSuccess: (result) => {
      setOpen(false);
      return onDone(result);
    },
  });
  const open = () => {
    change.reset();
    setOpen(true);
  };
  return (
    <>
      <Button onPress={open} aria-label={ariaLabel} look={look} isDisabled={isDisabled}>
        {label}
      </Button>
      <ConfirmDialog
        title={title}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        verb={verb}
        look={verbLook}
        isPending={change.isPending}
        problem={change.error}
        onConfirm={() => change.mutate()}
      >
        {children}
      </ConfirmDialog>
    </>
  );
}
