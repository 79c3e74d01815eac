import { isRecord } from "../json.ts";
import { parseTimestamp } from "./timestamp.ts";

/** A row of an ingest body: some JSON object; its fields are read by `check-event` and `to-stored-event` only. */
export type RawEvent = Readonly<Record<string, unknown>>;

export const MAX_EVENT_ID = 128;
export const MAX_USER_ID = 256;
export const MAX_TEXT_BYTES = 256 * 1024;
export const MAX_METADATA_BYTES = 16 * 1024;
const MAX_NAME = 200;
const FUTURE_TOLERANCE_MS = 24 * 3_600_000;
/** Earlier instants are mistakes of unit (seconds sent as milliseconds), not history. */
const OLDEST_MS = Date.UTC(2000, 0, 1);

const NUMBERS = [
  "latency_ms",
  "time_to_first_token_ms",
  "input_tokens",
  "cached_input_tokens",
  "output_tokens",
  "reasoning_tokens",
  "cost_usd",
] as const;
const NAMES = ["variant", "model", "requested_model", "provider", "error_type", "finish_reason"] as const;
const TEXTS = ["prompt", "response"] as const;

/** Lays a nested `payload` under the flat fields (contract §6); null when the row is no object. */
export function flattenEvent(row: unknown): RawEvent | null {
  if (!isRecord(row)) return null;
  const { payload } = row;
  return payload === undefined || payload === null ? row : isRecord(payload) ? { ...payload, ...row } : null;
}

/**
 * Returns what is wrong with a flattened row in one sentence that names the field, or null when it is well-formed.
 * Hand-written because it runs per row of every batch; a differential test holds it to the published schema.
 */
export function checkEvent(row: RawEvent, now: number): string | null {
  return (
    checkIds(row) ??
    checkTimestamp(row.timestamp, now) ??
    (row.metadata === undefined || row.metadata === null ? null : checkMetadata(row.metadata)) ??
    checkNames(row) ??
    (row.type === "model_call" ? checkModelCall(row) : null) ??
    (row.type === "business_event" ? checkBusinessEvent(row) : null)
  );
}

function checkIds(row: RawEvent): string | null {
  const { type } = row;
  if (!isText(row.event_id, 1, MAX_EVENT_ID))
    return `event_id must be a string of 1 to ${MAX_EVENT_ID} characters.`;
  if (type !== "exposure" && type !== "model_call" && type !== "business_event") {
    return 'type must be "exposure", "model_call" or "business_event".';
  }
  if (!isText(row.experiment_id, 1, MAX_NAME))
    return "experiment_id must be the id or the name of an experiment.";
  if (!isText(row.user_id, 1, MAX_USER_ID))
    return `user_id must be a string of 1 to ${MAX_USER_ID} characters.`;
  return null;
}

function checkTimestamp(value: unknown, now: number): string | null {
  const at = parseTimestamp(value);
  if (at === null) return "timestamp must be RFC 3339 (2026-01-31T12:00:00.000Z) or epoch milliseconds.";
  if (at > now + FUTURE_TOLERANCE_MS) return "timestamp is more than 24 hours in the future.";
  if (at < OLDEST_MS) return "timestamp is before the year 2000: send epoch milliseconds, not seconds.";
  return null;
}

function checkMetadata(value: unknown): string | null {
  if (!isRecord(value)) return "metadata must be an object.";
  if (isClearlySmall(value)) return null;
  const json = toJson(value);
  if (json === null) return "metadata is nested too deeply.";
  return byteLength(json) <= MAX_METADATA_BYTES ? null : "metadata must be at most 16 KiB as JSON.";
}

/** Most metadata is a few flat values: an upper bound of its size spares writing it out. JSON takes 6 bytes per unit at most. */
function isClearlySmall(value: RawEvent): boolean {
  let bytes = 2;
  for (const key in value) {
    const entry = value[key];
    if (typeof entry === "object" && entry !== null) return false;
    bytes += 6 * key.length + (typeof entry === "string" ? 6 * entry.length : 0) + 32;
    if (bytes > MAX_METADATA_BYTES) return false;
  }
  return true;
}

/** Null when the value is nested deeper than the stack reaches: a hostile row, not a bug. */
function toJson(value: RawEvent): string | null {
  try {
    return JSON.stringify(value);
  } catch {
    return null;
  }
}

function checkNames(row: RawEvent): string | null {
  for (const field of NAMES) {
    const value = row[field];
    if (value !== undefined && value !== null && !isText(value, 0, MAX_NAME)) {
      return `${field} must be a string of at most ${MAX_NAME} characters.`;
    }
  }
  return null;
}

function checkModelCall(row: RawEvent): string | null {
  for (const field of NUMBERS) {
    const value = row[field];
    if (value !== undefined && value !== null && !(isFiniteNumber(value) && value >= 0)) {
      return `${field} must be a finite number of at least 0.`;
    }
  }
  const { error } = row;
  if (error !== undefined && error !== null && typeof error !== "boolean")
    return "error must be true or false.";
  for (const field of TEXTS) {
    const value = row[field];
    if (value === undefined || value === null) continue;
    if (typeof value !== "string") return `${field} must be a string.`;
    if (byteLength(value) > MAX_TEXT_BYTES) return `${field} must be at most 256 KiB.`;
  }
  return null;
}

function checkBusinessEvent(row: RawEvent): string | null {
  if (!isText(row.business_metric, 1, MAX_NAME)) {
    return `business_metric must be a string of 1 to ${MAX_NAME} characters.`;
  }
  const { value } = row;
  return value === undefined || value === null || isFiniteNumber(value)
    ? null
    : "value must be a finite number.";
}

function isFiniteNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** Lengths are in characters (code points); the quick test on UTF-16 units settles nearly every row. */
function isText(value: unknown, min: number, max: number): value is string {
  if (typeof value !== "string" || value.length < min) return false;
  return value.length <= max || (value.length <= 2 * max && [...value].length <= max);
}

/** UTF-8 length; a string of `n` units is at most `3 n` bytes, so short ones need no count. */
function byteLength(text: string): number {
  if (text.length * 3 <= MAX_METADATA_BYTES) return text.length;
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    // A surrogate pair is 4 bytes: 2 for each of its units. A lone surrogate is stored as U+FFFD, 3 bytes.
    bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : isPairedSurrogate(text, i) ? 2 : 3;
  }
  return bytes;
}

function isPairedSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  if (unit >= 0xd800 && unit < 0xdc00) return (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00;
  if (unit >= 0xdc00 && unit < 0xe000) return (text.charCodeAt(index - 1) & 0xfc00) === 0xd800;
  return false;
}
