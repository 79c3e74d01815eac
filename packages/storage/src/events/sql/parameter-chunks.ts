/** The server refuses a form field above 128 KiB. */
const BYTES_PER_QUERY = 120_000;

/** Splits a list into chunks that fit in one query's array parameters. `idsOf` returns the id that an item adds to each array. */
export function* parameterChunks<T>(
  items: readonly T[],
  idsOf: (item: T) => readonly string[],
): Generator<readonly T[]> {
  let chunk: T[] = [];
  let bytes = 0;
  for (const item of items) {
    // Each array must fit, so the longest of an item's ids counts.
    const size = Math.max(...idsOf(item).map(sentBytes));
    if (bytes + size > BYTES_PER_QUERY) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push(item);
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}

/** Upper bound of the bytes of an id in a parameter: quotes, a comma, and a backslash before any unusual byte. */
function sentBytes(id: string): number {
  return 3 + (/^[\w-]*$/.test(id) ? id.length : 2 * Buffer.byteLength(id));
}
