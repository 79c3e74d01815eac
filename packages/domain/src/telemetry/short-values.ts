import type { Json, JsonObject } from "../json.ts";

/** Maximum number of bytes of names and values together. */
const MAX_BYTES = 6 * 1024;
const MAX_LENGTH = 500;

/** Returns the short values by name, as many as fit. */
export function shortValues(values: Iterable<readonly [string, Json]>): JsonObject {
  const kept: [string, Json][] = [];
  let bytes = 0;
  for (const [name, value] of [...values].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const size = 3 * (name.length + JSON.stringify(value).length);
    if (size > 3 * MAX_LENGTH || bytes + size > MAX_BYTES) continue;
    bytes += size;
    kept.push([name, value]);
  }
  return Object.fromEntries(kept);
}
