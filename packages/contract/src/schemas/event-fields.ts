import {
  EVENT_FIELD_LIST,
  type EVENT_FIELDS,
  EVENT_TYPES,
  type EventField,
  type FieldKind,
  type FieldProperty,
  isValueField,
  MAX_NAME,
  type PropertyOf,
  refusesNull,
  SENT_FIELDS,
  type StoredEvent,
} from "@assay/domain";
import { type TNull, type TOptional, type TSchema, type TUnion, Type } from "typebox";
import { Instant, JsonObjectSchema, Nullable, OneOf } from "./shared.ts";

type Fields = typeof EVENT_FIELDS;
/** A field's row in the table, as the schema builders below read it. */
type Row<K extends FieldKind> = Extract<EventField, { readonly kind: K }>;

/** The schema of a value as it is sent, by the field's kind. */
const SENT = {
  experiment: (row: Row<"experiment">) => Type.String({ minLength: 1, maxLength: MAX_NAME, ...about(row) }),
  type: (row: Row<"type">) => OneOf(EVENT_TYPES, about(row)),
  instant: (row: Row<"instant">) =>
    Type.Union([Type.String({ format: "date-time" }), Type.Number()], about(row)),
  id: (row: Row<"id">) => Type.String({ minLength: 1, maxLength: row.max, ...about(row) }),
  name: (row: Row<"name">) => Type.String({ maxLength: MAX_NAME, ...about(row) }),
  reference: (row: Row<"reference">) => Type.String({ minLength: 1, maxLength: row.max, ...about(row) }),
  number: (row: Row<"number">) =>
    Type.Number({
      ...(row.min !== undefined && { minimum: row.min }),
      ...(row.above !== undefined && { exclusiveMinimum: row.above }),
      ...(row.max !== undefined && { maximum: row.max }),
      ...about(row),
    }),
  boolean: (row: Row<"boolean">) => Type.Boolean(about(row)),
  text: (row: Row<"text">) => Type.String(about(row)),
  object: (row: Row<"object">) => Type.Record(Type.String(), Type.Unknown(), about(row)),
} as const;

/** Describes a field of requests, including facts that its schema does not express. */
export function describeSentField(field: EventField): string {
  const absent = "default" in field ? ` Default ${field.default}.` : "";
  const most = field.kind === "text" || field.kind === "object" ? ` At most ${field.max / 1024} KiB.` : "";
  return `${field.description}${absent}${most}`;
}

const about = (field: EventField) => ({ description: describeSentField(field) });

/** The schema of a value in answers. */
const ANSWERED = {
  type: ({ description }: Row<"type">) => OneOf(EVENT_TYPES, { description }),
  instant: (_: Row<"instant">) => Instant,
  id: ({ description }: Row<"id">) => Type.String({ description }),
  name: nullable(Type.String()),
  reference: nullable(Type.String()),
  number: nullable(Type.Number()),
  boolean: nullable(Type.Boolean()),
  text: nullable(Type.String()),
  object: nullable(JsonObjectSchema),
} as const;

function nullable<T extends TSchema>(schema: T) {
  return ({ description }: { readonly description: string }) =>
    Type.Union([schema, Type.Null()], { description });
}

type NameOf<P extends FieldProperty> = Fields[P]["name"];
type SentNameOf<P extends FieldProperty> = Fields[P] extends {
  readonly sentAs: infer N extends string | null;
}
  ? N
  : NameOf<P>;
type SentSchemaOf<K extends keyof typeof SENT> = ReturnType<(typeof SENT)[K]>;

/** The fields of a row in a request, by name. All but the key fields may be absent or null. */
export const sentFields = Object.fromEntries(
  SENT_FIELDS.map((field) => {
    const schema = SENT[field.kind](field as never);
    if (!isValueField(field)) return [field.sentName, schema];
    return [field.sentName, Type.Optional(refusesNull(field) ? schema : Nullable(schema))];
  }),
) as {
  [P in Exclude<FieldProperty, PropertyOf<"org">> as SentNameOf<P> & string]: null extends StoredEvent[P]
    ? TOptional<TUnion<[SentSchemaOf<Fields[P]["kind"]>, TNull]>>
    : SentSchemaOf<Fields[P]["kind"]>;
};

/** Fields of an event in an answer, by name. */
type AnsweredOf<K extends keyof typeof ANSWERED> = {
  [P in PropertyOf<K> as NameOf<P>]: ReturnType<(typeof ANSWERED)[Fields[P]["kind"] & K]>;
};

function answered<K extends keyof typeof ANSWERED>(kinds: readonly K[]): AnsweredOf<K> {
  const fields = EVENT_FIELD_LIST.filter(({ kind }) => (kinds as readonly FieldKind[]).includes(kind));
  return Object.fromEntries(
    fields.map((field) => [field.name, ANSWERED[field.kind as K](field as never)]),
  ) as AnsweredOf<K>;
}

/** The fields that lists of events show too. */
export const listedFields = answered(["id", "reference", "type", "instant", "name", "number", "boolean"]);
export const textFields = answered(["text"]);
export const objectFields = answered(["object"]);

/** The first characters of the texts, as lists show them. */
export function previewFields<T extends TSchema>(schema: T) {
  return Object.fromEntries(Object.keys(textFields).map((name) => [`${name}_preview`, schema])) as {
    [N in keyof typeof textFields as `${N}_preview`]: T;
  };
}
