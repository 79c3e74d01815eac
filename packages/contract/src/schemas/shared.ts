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
 * Rejects unknown fields, so that typos are noticed. Records need it too: a key with a line break does not match the
 * key pattern, and its value would otherwise not be checked.
 */
export const strict = { additionalProperties: false };

export const Id = Type.String({ format: "uuid", description: "UUIDv7, lower case." });
/** An instant in wire form. Code uses epoch milliseconds (see `toWire`). */
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

const LINE = "^[^\\u0000-\\u001f]*$";
const FILLED_LINE = "^[^\\u0000-\\u0020][^\\u0000-\\u001f]*$";
const EMAIL = "^[^@\\s\\u0000-\\u001f]+@[^@\\s\\u0000-\\u001f]+$";
const DAY = "^\\d{4}-\\d{2}-\\d{2}$";
const METRIC_NAME = "^[A-Za-z0-9_.\\-]+$";
const TRIMMED = "^\\S(?:.*\\S)?$";
const NOT_BLANK = "\\S";
export const NO_NUL = "^[^\\u0000]+$";
export const SHORT_NUMBER = "^\\d{1,9}$";
export const VISIBLE_ASCII = "^[!-~]+$";
export const BASE64URL = "^[A-Za-z0-9_-]+$";
export const FIELD_NAME = "^[a-z][a-z_]{0,29}$";

/** The rule that a text breaks, in words, by the regular expression or format name that it does not match. */
export const TEXT_RULES: ReadonlyMap<string, string> = new Map([
  ["uuid", "must be a UUID, such as 0190a1b2-0000-7000-8000-000000000000"],
  ["date-time", "must be a time, such as 2026-11-20T08:30:00Z"],
  ["date", "must be a day, such as 2026-11-20"],
  [DAY, "must be a day, such as 2026-11-20"],
  [EMAIL, "must be an email address, such as ann@example.com"],
  [LINE, "must be one line, without control characters"],
  [FILLED_LINE, "must be one line that does not begin with a space, without control characters"],
  [METRIC_NAME, "must have only letters, digits, _, . and -"],
  [TRIMMED, "must not begin or end with a space"],
  [NOT_BLANK, "must not be blank"],
  [NO_NUL, "must not contain the character NUL"],
  [SHORT_NUMBER, "must be a whole number of at most 9 digits"],
  [VISIBLE_ASCII, "must have only visible ASCII characters, without spaces"],
  [BASE64URL, "must have only letters, digits, _ and -"],
  [FIELD_NAME, "must be 1 to 30 lower-case letters or _, the first a letter"],
]);

/** A UTC day. */
export const DayText = (description: string) => Type.String({ pattern: DAY, description });
export const MetricName = Type.String({ minLength: 1, maxLength: 64, pattern: METRIC_NAME });
export const Tag = Type.String({ minLength: 1, maxLength: 40, pattern: TRIMMED });
/** One line of text without control characters: PostgreSQL cannot store NUL, and the rest break lists. */
export const Line = (maxLength: number, minLength = 1) =>
  Type.String({ minLength, maxLength, pattern: minLength === 0 ? LINE : FILLED_LINE });
/** Text that is more than white space. */
export const NotBlank = (maxLength: number, options: { readonly description?: string } = {}) =>
  Type.String({ minLength: 1, maxLength, pattern: NOT_BLANK, ...options });
export const Email = Type.String({
  minLength: 3,
  maxLength: 254,
  pattern: EMAIL,
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

/** The number of users, shown next to counts of units. */
export const UsersOfUnits = Type.Optional(
  Type.Integer({
    description: "Users whose units are counted. Present only if the experiment's unit is not the user.",
  }),
);
