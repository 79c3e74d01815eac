import { type JsonPart, MOST_BYTES_AT_ONCE, parsePart, readSmallBatch, splitBatch } from "@assay/domain";
import { turns } from "../next-turn.ts";

/** A body with more values is parsed row by row, however small it is. */
const MOST_VALUES_AT_ONCE = 20_000;

/** A row that is not parsed, because parsing it would take too long. */
export class UnreadRow {
  readonly detail: string;

  constructor(excess: string) {
    this.detail = `The row ${excess}`;
  }
}

/**
 * Parses the rows of a body; `parts` are all of its rows. Parses the rows of a large body one by one, so that other
 * requests get turns in between. Throws `SyntaxError`.
 */
export async function readRows(body: Uint8Array, parts: readonly JsonPart[]): Promise<readonly unknown[]> {
  const values = parts.reduce((sum, part) => sum + part.values, 0);
  const isSmall = body.length <= MOST_BYTES_AT_ONCE && values <= MOST_VALUES_AT_ONCE;
  if (isSmall && parts.every(({ excess }) => excess === null)) {
    const whole = parsePart(body, { start: 0, end: body.length });
    return Array.isArray(whole) ? whole : (whole as { readonly events: readonly unknown[] }).events;
  }
  const rows: unknown[] = [];
  const turn = turns();
  for (const part of parts) {
    rows.push(part.excess === null ? parsePart(body, part) : new UnreadRow(part.excess));
    const wait = turn();
    if (wait !== null) await wait;
  }
  return rows;
}

/** Parses the rows of an accepted body, which always has a list of them. */
export async function readAccepted(body: Uint8Array): Promise<readonly unknown[]> {
  return readSmallBatch(body) ?? readRows(body, splitBatch(body).rows!);
}

/** Replaces the rows that were not parsed with `null`, because they may not be JSON. */
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
