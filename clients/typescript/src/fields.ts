/** The unchecked fields of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** Returns an object as its fields. Anything else, including a list, gives no fields. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** Returns the value of a JSON text; null when it is malformed. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Returns whether a value is a string. */
export function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** Returns whether a value can be the id of a user or a unit. The service rejects other ids. It counts characters, not UTF-16 units. */
export function isId(value: unknown): value is string {
  return isText(value) && value !== "" && !(value[256] && [...value][256]);
}

/** Returns whether a value is a whole number. */
export function isInteger(value: unknown): value is number {
  return Number.isInteger(value);
}

/** Returns a string unchanged, and the fallback for anything else. */
export function textOr<Standard>(value: unknown, standard: Standard): string | Standard {
  return isText(value) ? value : standard;
}
