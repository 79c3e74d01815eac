/** A sentence that names more than this is read by nobody. */
const MOST_NAMED = 3;

/**
 * Names the first few items and counts the rest, so that the sentence stays short.
 *
 * @example atMost(["a", "b", "c", "d", "e"], "more metrics"); // ["a", "b", "c", "2 more metrics"]
 */
export function atMost(parts: readonly string[], rest: string, most = MOST_NAMED): readonly string[] {
  // One more costs no more words than saying that there is one more.
  if (parts.length <= most + 1) return parts;
  return [...parts.slice(0, most), `${parts.length - most} ${rest}`];
}

/** Joins clauses into an English list: "a, b and c". */
export function listed(parts: readonly string[]): string {
  const last = parts.at(-1) ?? "";
  return parts.length > 1 ? `${parts.slice(0, -1).join(", ")} and ${last}` : last;
}
