import { lazy, Suspense } from "react";
import { useGlobalKeys } from "./use-global-keys.ts";

const KeysDialog = lazy(() =>
  import("./KeysDialog.tsx").then(({ KeysDialog: component }) => ({ default: component })),
);

interface GlobalKeysProps {
  readonly isListOpen: boolean;
  readonly onListOpen: (isOpen: boolean) => void;
}

/** The keys that work on every page, and the dialog that lists them. */
export function GlobalKeys({ isListOpen, onListOpen }: GlobalKeysProps) {
  useGlobalKeys(onListOpen);
  return isListOpen ? (
    <Suspense fallback={null}>
      <KeysDialog onClose={() => onListOpen(false)} />
    </Suspense>
  ) : null;
}
