import type { RawEvent } from "./check-event.ts";
import { compile } from "./compile.ts";
import type { StoredEvent } from "./event.ts";
import {
  EVENT_FIELD_LIST,
  EVENT_TYPES,
  type EventType,
  type FieldProperty,
  isValueField,
  type ListedField,
  VALUE_FIELDS,
} from "./fields.ts";
import { parseTimestamp } from "./timestamp.ts";

/** What the row does not say itself. */
export interface EventContext {
  readonly orgId: string;
  readonly receivedAt: number;
  /** Canonical id of the row's experiment. */
  readonly experimentId: string;
  /** Derives the variant of a user by bucketing; used when the row names none. */
  readonly variantOf: (userId: string) => string | null;
}

type ValueProperty = {
  [P in FieldProperty]: null extends StoredEvent[P] ? P : never;
}[FieldProperty];

/** The values of an event that has none. */
export const NO_VALUES = Object.fromEntries(
  VALUE_FIELDS.map(({ property }) => [property, null]),
) as unknown as Readonly<Record<ValueProperty, null>>;

type Keys = Omit<StoredEvent, ValueProperty>;

/** Reads the values of a row; those of other types of event are not stored. */
const READERS = Object.fromEntries(EVENT_TYPES.map((type) => [type, readerOf(type)])) as Readonly<
  Record<EventType, (row: RawEvent, keys: Keys, variantOf: EventContext["variantOf"]) => StoredEvent>
>;

/** Turns a row that `checkEvent` passed into the stored form. Unpaired surrogates become U+FFFD, as in the hash. */
export function toStoredEvent(row: RawEvent, context: EventContext): StoredEvent {
  const { orgId, experimentId, receivedAt, variantOf } = context;
  const type = row.type as EventType;
  const keys: Keys = {
    orgId,
    experimentId,
    eventId: text(row.event_id) ?? "",
    type,
    userId: text(row.user_id) ?? "",
    occurredAt: parseTimestamp(row.timestamp) ?? receivedAt,
    receivedAt,
  };
  return READERS[type](row, keys, variantOf);
}

function readerOf<F>(type: EventType): F {
  const values = EVENT_FIELD_LIST.map((field) => `${field.property}: ${expressionOf(field, type)}`);
  return compile(["row", "keys", "variantOf"], `{ ${values.join(", ")} }`, { text, json });
}

/** Writes the expression for a field of the stored form. */
function expressionOf(field: ListedField, type: EventType): string {
  if (!isValueField(field)) return `keys.${field.property}`;
  if (field.of !== undefined && field.of !== type) return "null";
  const value = `row.${field.sentName}`;
  if (field.property === "variant") return `text(${value}) || variantOf(keys.userId)`;
  switch (field.kind) {
    case "name":
    case "text":
      return `text(${value})`;
    case "object":
      return `json(${value})`;
    default:
      return `typeof ${value} === "${field.kind}" ? ${value} : ${field.default ?? null}`;
  }
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value.toWellFormed() : null;
}

function json(value: unknown): string | null {
  return value ? JSON.stringify(value).toWellFormed() : null;
}
