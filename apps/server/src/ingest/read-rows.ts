import { setImmediate as nextTurn } from "node:timers/promises";
import { type JsonPart, parsePart } from "@assay/domain";

/** Nobody else waits longer for their turn, unless a single row takes longer. */
const TURN_MS = 4;

/** A row that is not parsed, because that would take too much work. */
export class UnreadRow {
  readonly detail: string;

  constructor(excess: string) {
    this.detail = `The row ${excess}`;
  }
}

/** Parses rows of a body one after the other, and lets other requests have their turn in between. Throws `SyntaxError`. */
export async function readRows(body: Uint8Array, parts: readonly JsonPart[]): Promise<readonly unknown[]> {
  const rows: unknown[] = [];
  let startedAt = performance.now();
  for (const part of parts) {
    rows.push(part.excess === null ? parsePart(body, part) : new UnreadRow(part.excess));
    if (performance.now() - startedAt < TURN_MS) continue;
    await nextTurn();
    startedAt = performance.now();
  }
  return rows;
}

/** Writes `null` in the place of the rows that were not parsed, since nobody knows whether they are JSON. */
export function withoutUnread(body: Buffer, parts: readonly JsonPart[]): Buffer {
  const unread = parts.filter(({ excess }) => excess !== null);
  if (unread.length === 0) return body;
  const kept: Uint8Array[] = [];
  let at = 0;
  for (const { start, end } of unread) {
    kept.push(body.subarray(at, start), Buffer.from("null"));
    at = end;
  }
  return Buffer.concat([...kept, body.subarray(at)]);
}
