/**
 * Writes JSON with sorted keys. It makes a key named `__proto__` comparable, which a deep comparison skips.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  const entries = Object.entries(value).map(
    ([key, entry]) => `${JSON.stringify(key)}:${canonicalJson(entry)}`,
  );
  return `{${entries.sort().join()}}`;
}
