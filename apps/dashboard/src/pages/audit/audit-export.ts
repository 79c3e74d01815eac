import { api, unwrap } from "../../api/client.ts";
import type { AuditEntry } from "./queries.ts";

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
    const page = await readPage(targetId, cursor);
    entries.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null && entries.length < MAX_EXPORTED);
  return { entries, isCut: cursor !== null };
}

function readPage(targetId: string | undefined, cursor: string | null) {
  const query = {
    limit: PAGE,
    ...(targetId === undefined ? {} : { target_id: targetId }),
    ...(cursor === null ? {} : { cursor }),
  };
  return unwrap(api.GET("/v1/audit", { params: { query } }));
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
  const lines = [COLUMNS, ...rows.map((row) => COLUMNS.map((column) => row[column]))];
  return lines.map((cells) => `${cells.map(cellOf).join(",")}\r\n`).join("");
}

/** Spreadsheets run a cell that begins like a formula, and names are typed by people: an apostrophe keeps it text. */
function cellOf(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
