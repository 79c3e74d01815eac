/** Kinds of updates, weakest first: of two updates in the same millisecond the later kind counts. */
const KINDS = ["token", "created", "updated", "deleted"] as const;

/**
 * Orders updates of a user, an org or a membership: the newest counts, in whatever order they arrive (contract §3).
 * `at`: epoch milliseconds, when the token was issued or the provider's event happened.
 */
export function changeOrder(at: number, kind: (typeof KINDS)[number]): number {
  return at * KINDS.length + KINDS.indexOf(kind);
}

/**
 * Orders an update made here at `now` (epoch milliseconds), under the org's lock, after the one with order `last`. The new update
 * counts even within the same millisecond, and even if the clock of the process that made the last one is ahead.
 */
export function nextOrder(last: number, now: number, kind: "updated" | "deleted"): number {
  return Math.max(changeOrder(now, kind), last + 1);
}
