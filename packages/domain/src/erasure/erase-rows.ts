import { rowsOfBody } from "../event/read-batch.ts";
import { isRecord } from "../json.ts";

/**
 * Replaces the rows of erased users in a queued body with null, which is not an event. All other rows keep their index, by which
 * the batch's header refers to them. Returns null if no row is theirs. A body that cannot be parsed could contain anybody's rows and
 * can never be stored, so it becomes an empty list.
 */
export function eraseRows(body: Uint8Array, isErased: (userId: string) => boolean): Uint8Array | null {
  const parsed = parse(body);
  const rows = rowsOfBody(parsed);
  if (rows === null) return encode([]);
  const kept = rows.map((row) => (userIdsOf(row).some(isErased) ? null : row));
  if (kept.every((row, index) => row === rows[index])) return null;
  return encode(isRecord(parsed) ? { ...parsed, events: kept } : kept);
}

/** The user ids in a row, as events store them. Rejected rows count too, because the body still contains their texts. */
function userIdsOf(row: unknown): readonly string[] {
  if (!isRecord(row)) return [];
  const nested = isRecord(row.payload) ? [row.payload.user_id] : [];
  return [row.user_id, ...nested]
    .filter((id) => typeof id === "string" || typeof id === "number")
    .map((id) => String(id).toWellFormed());
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return null;
  }
}

const encode = (body: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(body));
