import type { Scale } from "../../../format/scores.ts";
import { Dialog } from "../../../ui/Dialog.tsx";
import { Table } from "../../../ui/Table.tsx";
import { keyList } from "./label-keys.ts";

interface KeyDialogProps {
  readonly scale: Scale;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Which keys there are. */
export function KeyDialog({ scale, isOpen, onClose }: KeyDialogProps) {
  return (
    <Dialog title="Keys" isOpen={isOpen} onClose={onClose}>
      <p>They work while the focus is on the answer or the buttons below it.</p>
      <Table
        caption="Keys of the labelling queue"
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
