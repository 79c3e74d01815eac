import { fieldsOf } from "../fields.ts";
import type { KeptEvent } from "../offline-store.ts";

/** Writes an event as a line of a spill file. */
export function toSpillLine({ row }: KeptEvent): string {
  return `{"v":1,"event":${row}}\n`;
}

/** Reads a line of a spill file; null when it is incomplete or of another version. */
export function parseSpillLine(line: string): KeptEvent | null {
  try {
    const { v, event } = fieldsOf(JSON.parse(line));
    const { event_id: eventId, timestamp } = fieldsOf(event);
    const occurredAt = typeof timestamp === "string" ? Date.parse(timestamp) : Number.NaN;
    if (v !== 1 || typeof eventId !== "string" || Number.isNaN(occurredAt)) return null;
    const row = JSON.stringify(event);
    return { eventId, occurredAt, row, bytes: Buffer.byteLength(row) };
  } catch {
    return null;
  }
}
