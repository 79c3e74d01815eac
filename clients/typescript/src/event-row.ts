import { utf8Length } from "#platform";
import { fieldsOf, isText, textOr } from "./fields.ts";
import type { BusinessMetricName } from "./known-names.ts";
import type { KeptEvent } from "./offline-store.ts";

/** The types of event that the service accepts. */
export type EventType = "exposure" | "model_call" | "tool_call" | "run_end" | "business_event";

/** The fields of an event as sent. Further fields of the event's type are sent unchanged. */
export interface EventPayload {
  /** The experiment's id or name. */
  readonly experiment_id: string;
  readonly user_id: string;
  /** The id of the conversation or run, if the experiment assigns these. Default: the context's. */
  readonly unit_id?: string | undefined;
  /** The id of the agent's run that the event belongs to. Default: the context's. */
  readonly run_id?: string | undefined;
  /** The idempotency key. Default: the client makes one. */
  readonly event_id?: string | undefined;
  /** A Date, RFC 3339 text with an offset, or epoch milliseconds. Default: now. */
  readonly timestamp?: Date | string | number | undefined;
  readonly variant?: string | null | undefined;
  readonly business_metric?: BusinessMetricName | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly [field: string]: unknown;
}

export interface RowDefaults {
  now(): number;
  newId(): string;
}

/** The reason why an event cannot be sent. Messages are fixed texts, so they can be counted and never contain a payload. */
export class UnsendableEvent extends Error {}

const TYPE = /^(exposure|run_end|(model|tool)_call|business_event)$/;
/** Counted in characters, not in UTF-16 units. */
const EVENT_ID = /^.{1,128}$/su;
/** Prompt and response may be 256 KiB each before JSON escapes them. */
const MAX_BYTES = 1024 * 1024;
const RFC_3339 = /^(\d{4}-\d\d-\d\d)T(?!24)\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

/**
 * Serializes an event as one row of a batch, so that later changes of the payload do not affect it. Throws
 * `UnsendableEvent`.
 */
export function toEventRow(type: unknown, payload: unknown, { now, newId }: RowDefaults): KeptEvent {
  refuseUnless(isText(type) && TYPE.test(type), "unknown type");
  const fields = fieldsOf(payload);
  const eventId = fields.event_id ?? newId();
  refuseUnless(isText(eventId) && EVENT_ID.test(eventId), "event_id is not 1-128 long");
  const at = fields.timestamp ?? now();
  const instant = new Date(at instanceof Date || typeof at === "number" || isRfc3339(at) ? at : "");
  const occurredAt = instant.getTime();
  refuseUnless(Number.isFinite(occurredAt), "timestamp is not a date");
  const event = { ...fields, event_id: eventId, type, timestamp: instant.toISOString() };
  const row = textOr<string>(JSON.stringify(event), "");
  // JSON silently turns NaN into null. Only rows with a null are checked, because that takes as long as all the rest.
  if (row.includes("null")) JSON.stringify(event, refuseNonFinite);
  // A payload's toJSON may return anything.
  refuseUnless(fields === payload && row[0] === "{", "payload is not an object");
  const bytes = utf8Length(row);
  if (bytes > MAX_BYTES) throw new UnsendableEvent(`over 1 MiB: ${bytes} bytes`);
  return { eventId, occurredAt, row, bytes };
}

function refuseUnless(isSendable: unknown, reason: string): asserts isSendable {
  if (!isSendable) throw new UnsendableEvent(reason);
}

function refuseNonFinite(_key: string, value: unknown): unknown {
  refuseUnless(typeof value !== "number" || Number.isFinite(value), "NaN or Infinity");
  return value;
}

/**
 * Date also parses other formats, but in the local time zone, and reads an invalid 29 February as 1 March.
 */
function isRfc3339(value: unknown): value is string {
  const day = RFC_3339.exec(textOr(value, ""))?.[1];
  return day !== undefined && (new Date(day).toJSON()?.startsWith(day) ?? false);
}
