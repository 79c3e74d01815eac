/** The fields of a JSON object, none of them checked. */
export type Fields = Readonly<Record<string, unknown>>;

/** Returns an object as its fields; anything else, a list too, has none. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** Tells whether a value is a text. */
export function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** Returns a text as it is, and the standard for anything else. */
export function textOr<Standard>(value: unknown, standard: Standard): string | Standard {
  return isText(value) ? value : standard;
}
