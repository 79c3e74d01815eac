import { isRecord } from "../json.ts";

/** Extracts the rows of an ingest body, `{"events": [...]}` or a bare array; null if it is neither. */
export function rowsOfBody(body: unknown): readonly unknown[] | null {
  if (Array.isArray(body)) return body;
  const events = typeof body === "object" && body !== null ? (body as { events?: unknown }).events : null;
  return Array.isArray(events) ? events : null;
}

const MOST_NULLS = 1_000_000_000;

/**
 * Reads how many assignments the sending client answered with null because it had no config yet (`client.null_before_ready` of
 * the body). 0 if the number is missing or not sensible; the events count either way.
 */
export function nullsBeforeReady(body: unknown): number {
  const client = isRecord(body) ? body.client : null;
  const count = isRecord(client) ? client.null_before_ready : null;
  return Number.isInteger(count) && Number(count) > 0 && Number(count) <= MOST_NULLS ? Number(count) : 0;
}
