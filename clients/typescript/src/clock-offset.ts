import type { ClientLog } from "./client-log.ts";

/** Smaller offsets may come from the network, or from the header's resolution of one second. */
const TOLERATED_MS = 60_000;

/**
 * Returns how many milliseconds the service's clock is ahead of this machine's. Returns 0 for up to a minute either
 * way, and the `known` offset when the answer has no usable date. `sentAt` and `answeredAt` are epoch milliseconds of
 * this machine; `date` is the answer's header.
 */
export function clockOffset(known: number, sentAt: number, answeredAt: number, date: string | null): number {
  const offset = Math.floor(Date.parse(`${date}`) - (sentAt + answeredAt) / 2);
  if (Number.isNaN(offset) || answeredAt < sentAt) return known;
  return Math.abs(offset) > TOLERATED_MS ? offset : 0;
}

/** Like `clockOffset`. It also logs when a clock that was right turns wrong. */
export function correctClock(
  log: ClientLog,
  ...[known, sentAt, answeredAt, date]: Parameters<typeof clockOffset>
): number {
  const offset = clockOffset(known, sentAt, answeredAt, date);
  if (offset && !known) log.sayOnce("warn", `clock off by ${Math.round(-offset / 1_000)} s, times corrected`);
  return offset;
}
