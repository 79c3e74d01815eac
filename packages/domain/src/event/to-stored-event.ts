import type { Attribution, Exposure } from "../attribution/attribute.ts";
import { isRecord } from "../json.ts";
import type { RawEvent } from "./check-event.ts";
import { compile } from "./compile.ts";
import type { StoredEvent } from "./event.ts";
import {
  EVENT_FIELD_LIST,
  type EVENT_FIELDS,
  EVENT_TYPES,
  type EventType,
  type FieldProperty,
  isValueField,
  type ListedField,
  typesOf,
  VALUE_FIELDS,
} from "./fields.ts";
import type { Provenance } from "./sources.ts";
import { parseTimestamp } from "./timestamp.ts";

/** Values of an event that are not in its row. */
export interface EventContext {
  readonly orgId: string;
  readonly receivedAt: number;
  /** Canonical id of the row's experiment. */
  readonly experimentId: string;
  /** Null for events of an earlier version of Assay. */
  readonly provenance: Provenance | null;
  /** `attributeExposure`, bound to the experiment's timeline. */
  readonly attribute: (exposure: Exposure) => Attribution;
}

type ValueProperty = {
  [P in FieldProperty]: null extends StoredEvent[P] ? P : never;
}[FieldProperty];

/** Every value field, set to null. */
export const NO_VALUES = Object.fromEntries(
  VALUE_FIELDS.map(({ property }) => [property, null]),
) as unknown as Readonly<Record<ValueProperty, null>>;

/** The properties that are not read from a single field of the row. */
type Given = Omit<StoredEvent, ValueProperty> & Pick<StoredEvent, FilledIn | "variant">;

/** Fields that the service fills in. */
type FilledIn = {
  [P in ValueProperty]: (typeof EVENT_FIELDS)[P] extends { readonly sentAs: null } ? P : never;
}[ValueProperty];

/** One reader of rows per type. Fields that belong to other event types are not stored. */
const READERS = Object.fromEntries(EVENT_TYPES.map((type) => [type, readerOf(type)])) as Readonly<
  Record<EventType, (row: RawEvent, given: Given) => StoredEvent>
>;

/** Converts a row that has passed `checkEvent` into its stored form. Unpaired surrogates become U+FFFD, as in the hash. */
export function toStoredEvent(row: RawEvent, context: EventContext): StoredEvent {
  const { orgId, experimentId, receivedAt, provenance } = context;
  const type = row.type as EventType;
  const userId = text(row.user_id) ?? "";
  const occurredAt = parseTimestamp(row.timestamp) ?? receivedAt;
  const variant = text(row.variant) || null;
  const isExposure = type === "exposure";
  const { arm, owner, reason } = isExposure
    ? context.attribute({ userId, unitId: text(row.unit_id), at: occurredAt, variant })
    : { arm: variant, owner: null, reason: null };
  return READERS[type](row, {
    orgId,
    experimentId,
    eventId: text(row.event_id) ?? "",
    type,
    userId,
    occurredAt,
    receivedAt,
    variant: arm,
    source: provenance?.source ?? null,
    keyPrefix: provenance?.keyPrefix ?? null,
    client: provenance?.client ?? null,
    assignedVariant: owner,
    ineligibleReason: reason,
    markedTest: isMarkedAsTest(row) ? true : null,
  });
}

/** Whether metadata marks the row as a test event (spec §2). */
function isMarkedAsTest({ metadata }: RawEvent): boolean {
  return isRecord(metadata) && metadata.assay_test === true;
}

function readerOf<F>(type: EventType): F {
  const values = EVENT_FIELD_LIST.map((field) => `${field.property}: ${expressionOf(field, type)}`);
  return compile(["row", "given"], `{ ${values.join(", ")} }`, { text, json });
}

/** Writes the expression for a field of the stored form. */
function expressionOf(field: ListedField, type: EventType): string {
  if (!isValueField(field) || field.sentName === null || field.property === "variant")
    return `given.${field.property}`;
  if (!typesOf(field).includes(type)) return "null";
  const value = `row.${field.sentName}`;
  switch (field.kind) {
    case "name":
    case "reference":
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
