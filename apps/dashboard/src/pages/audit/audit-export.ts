import { toCsv } from "../../ui/download.ts";
import { type AuditEntry, readAudit } from "./queries.ts";

const PAGE = 200;
/** The browser holds the whole file in memory. */
export const MAX_EXPORTED = 10_000;

export interface AuditExport {
  readonly entries: readonly AuditEntry[];
  /** Older entries exist that the file does not hold. */
  readonly isCut: boolean;
}

/** Reads all matching entries, newest first, up to a limit. */
export async function readWholeAudit(targetId: string | undefined): Promise<AuditExport> {
  const entries: AuditEntry[] = [];
  let cursor: string | null = null;
  do {
    const page = await readAudit(targetId, { limit: PAGE, cursor });
    entries.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null && entries.length < MAX_EXPORTED);
  return { entries, isCut: cursor !== null };
}

const COLUMNS = [
  "id",
  "at",
  "actor_id",
  "actor_name",
  "actor_email",
  "action",
  "target_type",
  "target_id",
  "summary",
  "diff",
] as const;

/** Formats entries as CSV (RFC 4180), with the diff as JSON. */
export function toAuditCsv(entries: readonly AuditEntry[]): string {
  const rows = entries.map(({ actor, diff, ...entry }) => ({
    ...entry,
    actor_id: actor.id,
    actor_name: actor.name,
    actor_email: actor.email,
    diff: diff === null ? "" : JSON.stringify(diff),
  }));
  return toCsv([COLUMNS, ...rows.map((row) => COLUMNS.map((column) => row[column]))]);
}
