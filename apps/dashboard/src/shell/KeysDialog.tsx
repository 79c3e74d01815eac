import { useState } from "react";
import { Dialog } from "../ui/Dialog.tsx";
import { listedKeys } from "../ui/listed-keys.ts";
import { Table } from "../ui/Table.tsx";
import { EVERYWHERE } from "./global-keys.ts";

/** Lists the keys of the page that is shown and those of every page. */
export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  const [parts] = useState(() => [...listedKeys(), EVERYWHERE]);
  return (
    <Dialog title="Keyboard shortcuts" isOpen onClose={onClose}>
      {parts.map(({ title, rows }) => (
        <Table
          key={title}
          caption={title}
          rows={rows}
          rowKey={([keys]) => keys}
          columns={[
            { key: "keys", title: "Key", cell: ([keys]) => <kbd>{keys}</kbd> },
            { key: "what", title: "What it does", cell: ([, what]) => what },
          ]}
        />
      ))}
      <p className="muted">Keys do nothing while you type in a field.</p>
    </Dialog>
  );
}
