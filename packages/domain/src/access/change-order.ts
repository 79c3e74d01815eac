/** Who said it, weakest first: of two words of the same millisecond the later kind counts. */
const KINDS = ["token", "created", "updated", "deleted"] as const;

/**
 * Orders what is said of a user, an org or a membership: the newest word counts, in whatever order the words arrive
 * (contract §3). `at`: epoch milliseconds, of the token's issue or the provider's event.
 */
export function changeOrder(at: number, kind: (typeof KINDS)[number]): number {
  return at * KINDS.length + KINDS.indexOf(kind);
}

/**
 * Orders a word that is said here at `now` (epoch milliseconds), under the org's lock, after the one of order `last`: it counts
 * even within the same millisecond, and where the clock of the process that said the last one is ahead.
 */
export function nextOrder(last: number, now: number, kind: "updated" | "deleted"): number {
  return Math.max(changeOrder(now, kind), last + 1);
}
