import { count } from "../../../../format/numbers.ts";
import { Notice } from "../../../../ui/Notice.tsx";
import { type Column, Table } from "../../../../ui/Table.tsx";
import { type ExclusionPreview, previewInWords } from "./exclusion-words.ts";

type Arm = ExclusionPreview["arms"][number];

const COLUMNS: readonly Column<Arm>[] = [
  { key: "arm", title: "Variant", cell: ({ arm }) => arm ?? "not exposed" },
  {
    key: "affected",
    title: "Users who lose events",
    isNumeric: true,
    cell: ({ affected_users, users }) => `${count(affected_users)} of ${count(users)}`,
  },
  {
    key: "removed",
    title: "Users who leave the variant",
    isNumeric: true,
    cell: ({ removed_users }) => count(removed_users),
  },
  {
    key: "events",
    title: "Events",
    isNumeric: true,
    cell: ({ removed_events, events }) => `${count(removed_events)} of ${count(events)}`,
  },
];

/** What an exclusion would take out, by variant. */
export function PreviewPanel({ preview }: { readonly preview: ExclusionPreview }) {
  const { arms, warning } = preview;
  return (
    <section aria-label="Preview">
      <p role="status">
        <strong>{previewInWords(preview)}</strong>
      </p>
      {warning === null ? null : (
        <Notice tone="warn" role="alert" title="This hits the variants differently">
          <p>{warning}</p>
        </Notice>
      )}
      {arms.length === 0 ? null : (
        <Table
          caption="What it would set aside, by variant"
          isCaptionHidden
          rows={arms}
          rowKey={({ arm }) => arm ?? ""}
          columns={COLUMNS}
        />
      )}
    </section>
  );
}
