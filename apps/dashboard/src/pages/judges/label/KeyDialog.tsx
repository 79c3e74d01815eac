import type { Scale } from "../../../format/scores.ts";
import { Dialog } from "../../../ui/Dialog.tsx";
import { Table } from "../../../ui/Table.tsx";
import { keyList } from "./label-keys.ts";

interface KeyDialogProps {
  readonly scale: Scale;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** The keyboard shortcuts. */
export function KeyDialog({ scale, isOpen, onClose }: KeyDialogProps) {
  return (
    <Dialog title="Keys" isOpen={isOpen} onClose={onClose}>
      <p>Keys work while the focus is on the answer or the buttons below it.</p>
      <Table
        caption="Keys of the labeling queue"
        isCaptionHidden
        rows={keyList(scale)}
        rowKey={([keys]) => keys}
        columns={[
          { key: "keys", title: "Key", cell: ([keys]) => <kbd>{keys}</kbd> },
          { key: "what", title: "What it does", cell: ([, what]) => what },
        ]}
      />
    </Dialog>
  );
}
