import { useInfiniteQuery } from "@tanstack/react-query";
import { fieldChanges } from "../../format/field-change.ts";
import { Disclosure } from "../../ui/Disclosure.tsx";
import { MoreButton } from "../../ui/Loaded.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { Empty, Skeleton } from "../../ui/Page.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import { Time } from "../../ui/Time.tsx";
import { FieldChanges } from "./FieldChanges.tsx";
import { type AuditEntry, auditQuery } from "./queries.ts";
import "./audit.css";

interface AuditListProps {
  /** Only entries of this target; all entries by default. */
  readonly targetId?: string | undefined;
}

const COLUMNS: readonly Column<AuditEntry>[] = [
  { key: "at", title: "When", cell: ({ at }) => <Time at={at} /> },
  { key: "who", title: "Who", cell: Who },
  { key: "what", title: "What", cell: What },
];

/** The target's kind and id, for a list of several targets. */
const TARGET: Column<AuditEntry> = {
  key: "target",
  title: "Target",
  cell: ({ target_type, target_id }) => (
    <>
      {target_type} <code>{target_id}</code>
    </>
  ),
};

/** The audit entries with their changes, newest first, page by page. */
export function AuditList({ targetId }: AuditListProps) {
  const query = useInfiniteQuery(auditQuery(targetId));
  if (query.data === undefined) {
    return query.error ? (
      <ProblemNotice problem={query.error} onRetry={() => query.refetch()} />
    ) : (
      <Skeleton lines={8} />
    );
  }
  return (
    <>
      <Table
        caption={
          targetId === undefined ? "All changes, newest first" : "Changes to this target, newest first"
        }
        isCaptionHidden
        columns={targetId === undefined ? [...COLUMNS, TARGET] : COLUMNS}
        rows={query.data.pages.flatMap(({ items }) => items)}
        rowKey={({ id }) => id}
        narrow="stacks"
        empty={<NothingDone targetId={targetId} />}
      />
      {query.error ? <ProblemNotice problem={query.error} onRetry={() => query.fetchNextPage()} /> : null}
      <MoreButton query={query}>
        {query.isFetchingNextPage ? "Loading older entries…" : "Show older entries"}
      </MoreButton>
    </>
  );
}

function NothingDone({ targetId }: AuditListProps) {
  return (
    <Empty title="No entries">
      <p>
        {targetId === undefined
          ? "Every change appears here, with who made it and when."
          : "Nobody has changed this target, or the id does not belong to your organization."}
      </p>
    </Empty>
  );
}

function Who({ actor }: AuditEntry) {
  return <span title={actor.email}>{actor.name || actor.email || actor.id}</span>;
}

function What({ action, summary, diff }: AuditEntry) {
  const changes = fieldChanges(diff);
  return (
    <div className="audit-what">
      <p>{summary}</p>
      <code className="muted">{action}</code>
      {changes.length === 0 ? null : (
        <Disclosure title={`What changed: ${changes.map(({ field }) => field).join(", ")}`}>
          <FieldChanges changes={changes} />
        </Disclosure>
      )}
    </div>
  );
}
