const RFC3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** Reads RFC 3339 or whole epoch milliseconds into epoch milliseconds; null when it is neither. */
export function parseTimestamp(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) ? Math.trunc(value) : null;
  if (typeof value !== "string" || !RFC3339.test(value)) return null;
  const at = Date.parse(value.replace(" ", "T").toUpperCase());
  return Number.isNaN(at) ? null : at;
}
