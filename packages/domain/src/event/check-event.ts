import { isRecord } from "../json.ts";
import { compile } from "./compile.ts";
import {
  EVENT_TYPES,
  type EventType,
  isRequiredIn,
  isValueField,
  MAX_NAME,
  refusesNull,
  SENT_FIELDS,
  typesOf,
} from "./fields.ts";
import { parseTimestamp } from "./timestamp.ts";

/** A row of an ingest body: any JSON object. Only `check-event` and `to-stored-event` read its fields. */
export type RawEvent = Readonly<Record<string, unknown>>;

/** How far a timestamp may be ahead of the time of receipt, because senders' clocks are not exact. */
export const FUTURE_TOLERANCE_MS = 24 * 3_600_000;
/** Earlier instants are unit mistakes (seconds sent as milliseconds), not history. */
const OLDEST_MS = Date.UTC(2000, 0, 1);

/** Merges a nested `payload` with the flat fields, which take precedence (contract §6). Null if the row is not an object. */
export function flattenEvent(row: unknown): RawEvent | null {
  if (!isRecord(row)) return null;
  const { payload } = row;
  return payload === undefined || payload === null ? row : isRecord(payload) ? { ...payload, ...row } : null;
}

/** Returns what is wrong with a sent value, in one sentence that names the field, or null. */
type Check = (value: unknown, now: number) => string | null;
type RowCheck = (row: RawEvent, now: number) => string | null;

/** The check for each type's rows. Of several faults, it reports the first in the order of the table. */
const CHECKS: ReadonlyMap<unknown, RowCheck> = new Map(EVENT_TYPES.map((type) => [type, checkOfRows(type)]));
const checkOfOtherTypes = checkOfRows(null);

/**
 * Returns what is wrong with a flattened row, in one sentence that names the field, or null if it is well-formed. The check is
 * compiled from the table of fields, because it runs for every row of every batch. A differential test compares it with the
 * published schema.
 */
export function checkEvent(row: RawEvent, now: number): string | null {
  return (CHECKS.get(row.type) ?? checkOfOtherTypes)(row, now);
}

type SentField = (typeof SENT_FIELDS)[number];

function checkOfRows(type: EventType | null): RowCheck {
  const fields = SENT_FIELDS.filter((field) => isChecked(field, type));
  const checks = fields.map((field) => {
    const { property, sentName } = field;
    const check = `${property}(row.${sentName}, now)`;
    if (isRequiredIn(field, type)) return check;
    const isAbsent = refusesNull(field) ? `row.${sentName} === undefined` : `row.${sentName} == null`;
    return `(${isAbsent} ? null : ${check})`;
  });
  return compile(
    ["row", "now"],
    checks.join(" ?? "),
    Object.fromEntries(fields.map((field) => [field.property, checkOf(field, isRequiredIn(field, type))])),
  );
}

/** Whether rows of a type are checked for a field: a value only in rows of its own types, some names in all rows. */
function isChecked(field: SentField, type: EventType | null): boolean {
  if (!isValueField(field) || field.of === undefined) return true;
  return (type !== null && typesOf(field).includes(type)) || "isAlwaysChecked" in field;
}

function checkOf(field: SentField, isRequired: boolean): Check {
  const { sentName: name } = field;
  switch (field.kind) {
    case "id":
    case "reference":
      return checkText(name, 1, field.max);
    case "name":
      return checkText(name, isRequired ? 1 : 0, MAX_NAME);
    case "number":
      return checkNumber(name, field);
    case "boolean":
      return (value) => (typeof value === "boolean" ? null : `${name} must be true or false.`);
    case "text":
      return checkLongText(name, field.max);
    case "object":
      return checkObject(name, field.max);
    case "type":
      return checkType;
    case "instant":
      return checkTimestamp;
    case "experiment":
      return checkExperiment;
  }
}

function checkText(name: string, min: number, max: number): Check {
  const fault = `${name} must be a string of ${min === 0 ? "at most" : `${min} to`} ${max} characters.`;
  return (value) => (isText(value, min, max) ? null : fault);
}

/** The bounds of a number: `above` is exclusive. */
interface Bounds {
  readonly min?: number;
  readonly above?: number;
  readonly max?: number;
}

function checkNumber(name: string, { min, above, max }: Bounds): Check {
  const least = min === undefined ? (above === undefined ? "" : ` above ${above}`) : ` of at least ${min}`;
  const fault = `${name} must be a finite number${least}${max === undefined ? "" : ` and at most ${max}`}.`;
  const isIn = (value: number) =>
    value >= (min ?? Number.NEGATIVE_INFINITY) &&
    value > (above ?? Number.NEGATIVE_INFINITY) &&
    value <= (max ?? Number.POSITIVE_INFINITY);
  return (value) => (typeof value === "number" && Number.isFinite(value) && isIn(value) ? null : fault);
}

function checkLongText(name: string, maxBytes: number): Check {
  const fault = `${name} must be at most ${maxBytes / 1024} KiB.`;
  return (value) => {
    if (typeof value !== "string") return `${name} must be a string.`;
    return isLonger(value, maxBytes) ? fault : null;
  };
}

function checkObject(name: string, maxBytes: number): Check {
  const fault = `${name} must be at most ${maxBytes / 1024} KiB as JSON.`;
  return (value) => {
    if (!isRecord(value)) return `${name} must be an object.`;
    if (isClearlySmall(value, maxBytes)) return null;
    const json = toJson(value);
    if (json === null) return `${name} is nested too deeply.`;
    return isLonger(json, maxBytes) ? fault : null;
  };
}

const QUOTED_TYPES = EVENT_TYPES.map((type) => `"${type}"`);
const TYPE_FAULT = `type must be ${QUOTED_TYPES.slice(0, -1).join(", ")} or ${QUOTED_TYPES.at(-1)}.`;

function checkType(value: unknown): string | null {
  return CHECKS.has(value) ? null : TYPE_FAULT;
}

function checkExperiment(value: unknown): string | null {
  return isText(value, 1, MAX_NAME) ? null : "experiment_id must be the id or the name of an experiment.";
}

function checkTimestamp(value: unknown, now: number): string | null {
  const at = parseTimestamp(value);
  if (at === null) return "timestamp must be RFC 3339 (2026-01-31T12:00:00.000Z) or epoch milliseconds.";
  if (at > now + FUTURE_TOLERANCE_MS) return "timestamp is more than 24 hours in the future.";
  if (at < OLDEST_MS) return "timestamp is before the year 2000: send epoch milliseconds, not seconds.";
  return null;
}

/** Most metadata has a few flat values. An upper bound of their size, 6 bytes per UTF-16 unit, avoids serializing them. */
function isClearlySmall(value: RawEvent, maxBytes: number): boolean {
  let bytes = 2;
  for (const key in value) {
    const entry = value[key];
    if (typeof entry === "object" && entry !== null) return false;
    bytes += 6 * key.length + (typeof entry === "string" ? 6 * entry.length : 0) + 32;
    if (bytes > maxBytes) return false;
  }
  return true;
}

/** Null if the value is nested deeper than the stack allows, which only a hostile row is. */
function toJson(value: RawEvent): string | null {
  try {
    return JSON.stringify(value);
  } catch {
    return null;
  }
}

/** Lengths are in characters (code points). A quick test on UTF-16 units decides nearly every row. */
function isText(value: unknown, min: number, max: number): value is string {
  if (typeof value !== "string" || value.length < min) return false;
  return value.length <= max || (value.length <= 2 * max && [...value].length <= max);
}

/** Whether a text exceeds `maxBytes` of UTF-8. A text of `n` units takes at most `3 n` bytes, so short ones need no count. */
function isLonger(text: string, maxBytes: number): boolean {
  if (text.length * 3 <= maxBytes) return false;
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    // A surrogate pair takes 4 bytes, 2 per unit. A lone surrogate is stored as U+FFFD, which takes 3.
    bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : isPairedSurrogate(text, i) ? 2 : 3;
  }
  return bytes > maxBytes;
}

function isPairedSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  if (unit >= 0xd800 && unit < 0xdc00) return (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00;
  if (unit >= 0xdc00 && unit < 0xe000) return (text.charCodeAt(index - 1) & 0xfc00) === 0xd800;
  return false;
}
