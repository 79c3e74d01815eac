import { type TSchema, Type } from "typebox";

/** One of the strings, as an `enum` in the document. */
export const OneOf = <const T extends readonly string[]>(values: T, options: object = {}) =>
  Type.Unsafe<T[number]>({ type: "string", enum: values, ...options });

/** The schema, or null. */
export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
/** A number or null; the description says what it means and when it is null. */
export const NullableNumber = (description: string) =>
  Type.Union([Type.Number(), Type.Null()], { description });
/**
 * Rejects unknown fields, so that typos are noticed. A record takes it as well: no name with a line break fits the pattern of its
 * names, and what stands under one would go unchecked.
 */
export const strict = { additionalProperties: false };

export const Id = Type.String({ format: "uuid", description: "UUIDv7, lower case." });
/** An instant in wire form; code uses epoch milliseconds (`toWire`). */
export type WireInstant = string & { readonly format: "date-time" };
export const InstantOf = (description: string) =>
  Type.Unsafe<WireInstant>({ type: "string", format: "date-time", description });
export const Instant = InstantOf("RFC 3339 in UTC with milliseconds.");
/** A share of a whole. */
export const Share = Type.Number({ minimum: 0, maximum: 1 });
/** Shares by variant. */
export const Shares = Type.Record(Type.String(), Type.Number());
/** Whole counts by variant. */
export const Counts = Type.Record(Type.String(), Type.Integer());
/** Any JSON object. */
export const JsonObjectSchema = Type.Record(Type.String(), Type.Unknown());

export const LINE_PATTERN = "^[^\\u0000-\\u001f]*$";
export const EMAIL_PATTERN = "^[^@\\s\\u0000-\\u001f]+@[^@\\s\\u0000-\\u001f]+$";

/** One line of text without control characters: PostgreSQL cannot store NUL, and the others break lists. */
export const Line = (maxLength: number, minLength = 1) =>
  Type.String({ minLength, maxLength, pattern: LINE_PATTERN });
export const Email = Type.String({
  minLength: 3,
  maxLength: 254,
  pattern: EMAIL_PATTERN,
});

/** Selects a page of a list. */
export const PageQuery = Type.Object(
  {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
    cursor: Type.Optional(Type.String({ maxLength: 500 })),
  },
  strict,
);
/** The cursor of the next page. */
export const NextCursor = Nullable(Type.String());

/** Beside counts of units: how many users they are of. */
export const UsersOfUnits = Type.Optional(
  Type.Integer({
    description: "Users whose units are counted. Present only if the experiment's unit is not the user.",
  }),
);
