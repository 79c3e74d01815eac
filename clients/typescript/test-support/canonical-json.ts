/** Writes JSON with sorted keys. It compares what a deep comparison passes over: a key named `__proto__`. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  const entries = Object.entries(value).map(
    ([key, entry]) => `${JSON.stringify(key)}:${canonicalJson(entry)}`,
  );
  return `{${entries.sort().join()}}`;
}
