/** The three kinds of event that the service takes. */
export type EventType = "exposure" | "model_call" | "business_event";

/** The fields of an event as they travel; further fields of the event's type are sent as they are. */
export interface EventPayload {
  /** The experiment's id or name. */
  readonly experiment_id: string;
  readonly user_id: string;
  /** The idempotency key; made by the client when absent. */
  readonly event_id?: string;
  /** A Date, RFC 3339 with an offset, or epoch milliseconds; now when absent. */
  readonly timestamp?: Date | string | number;
  readonly variant?: string | null;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

export interface RowDefaults {
  now(): number;
  newId(): string;
}

/** Why an event cannot be sent; the message is fixed, so that it can be counted and never holds a payload. */
export class UnsendableEvent extends Error {}

const TYPES: ReadonlySet<unknown> = new Set<EventType>(["exposure", "model_call", "business_event"]);
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

/** Serialises an event as one row of a batch, so that later changes to the payload cannot reach it; or throws. */
export function toEventRow(type: unknown, payload: unknown, { now, newId }: RowDefaults): string {
  if (!TYPES.has(type)) throw new UnsendableEvent("unknown event type");
  if (typeof payload !== "object" || payload === null) throw new UnsendableEvent("payload is not an object");
  const fields: Record<string, unknown> = { ...payload };
  const event = {
    ...fields,
    event_id: fields.event_id ?? newId(),
    type,
    timestamp: toRfc3339(fields.timestamp ?? now()),
  };
  const row: unknown = JSON.stringify(event, refuseNonFinite);
  if (typeof row !== "string" || !row.startsWith("{")) throw new UnsendableEvent("payload is not an object");
  return row;
}

/** JSON would turn NaN into null in silence. */
function refuseNonFinite(_key: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new UnsendableEvent("payload holds NaN or Infinity");
  }
  return value;
}

function toRfc3339(value: unknown): string {
  const isInstant =
    value instanceof Date ||
    typeof value === "number" ||
    // Date reads other spellings too, but in the local time zone.
    (typeof value === "string" && RFC_3339.test(value));
  const date = new Date(isInstant ? value : Number.NaN);
  if (Number.isNaN(date.getTime())) throw new UnsendableEvent("timestamp is not a date");
  return date.toISOString();
}
