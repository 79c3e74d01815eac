import { X } from "lucide-react";
import type { ReactNode } from "react";
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { Button, type ButtonLook } from "./Button.tsx";
import { ProblemNotice } from "./Notice.tsx";
import "./dialog.css";

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** `side`: a drawer on the right; full width on a narrow screen. */
  readonly place?: "middle" | "side";
}

/** A modal dialog: traps the focus, closes on Escape, and restores the focus. */
export function Dialog({ title, isOpen, onClose, children, place = "middle" }: DialogProps) {
  return (
    <ModalOverlay
      className={`overlay overlay-${place}`}
      isOpen={isOpen}
      onOpenChange={(open) => open || onClose()}
      isDismissable
    >
      <Modal className={`modal modal-${place}`}>
        <AriaDialog className="dialog">
          <header className="dialog-head">
            <Heading slot="title" level={2}>
              {title}
            </Heading>
            <Button look="quiet" onPress={onClose} aria-label="Close">
              <X size={18} aria-hidden="true" />
            </Button>
          </header>
          <div className="dialog-body">{children}</div>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

interface ConfirmProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** The consequences. */
  readonly children: ReactNode;
  /** The button's text: "Replace the key", never "OK". */
  readonly verb: string;
  readonly look?: ButtonLook;
  readonly isPending: boolean;
  readonly problem: Error | null;
  readonly onConfirm: () => void;
}

/** Asks for confirmation. A failure is shown in the dialog. */
export function ConfirmDialog({
  children,
  verb,
  look = "danger",
  isPending,
  problem,
  onConfirm,
  ...dialog
}: ConfirmProps) {
  return (
    <Dialog {...dialog}>
      {children}
      {problem === null ? null : <ProblemNotice problem={problem} />}
      <div className="dialog-actions">
        <Button onPress={dialog.onClose}>Cancel</Button>
        <Button look={look} onPress={onConfirm} isPending={isPending}>
          {verb}
        </Button>
      </div>
    </Dialog>
  );
}
