import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 25;

/** Polls until `find` gives something other than null, undefined or false, and returns it; throws after the deadline. */
export async function until<T>(
  what: string,
  find: () => T | null | undefined | false | Promise<T | null | undefined | false>,
  timeoutMs = 80_000,
  pollMs = POLL_MS,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const found = await find();
    if (found !== null && found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`Waited ${timeoutMs} ms in vain: ${what}.`);
    await sleep(pollMs);
  }
}
