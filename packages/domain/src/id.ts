const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns whether a value has the form of our ids: a lowercase UUID (contract §4). */
export function isId(value: unknown): value is string {
  return typeof value === "string" && ID.test(value);
}
