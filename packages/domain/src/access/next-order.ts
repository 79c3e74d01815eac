import { changeOrder } from "./change-order.ts";

/**
 * Orders a word that is said here at `now` (epoch milliseconds), under the org's lock, after the one of order `last`: it counts
 * even within the same millisecond, and where the clock of the process that said the last one is ahead.
 */
export function nextOrder(last: number, now: number, kind: "updated" | "deleted"): number {
  return Math.max(changeOrder(now, kind), last + 1);
}
