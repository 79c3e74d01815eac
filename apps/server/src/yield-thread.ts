import { getPriority, setPriority } from "node:os";

/** How much less urgent than requests the work of a thread is, where cores are few. The embedded event engine (10) comes in between. */
const NICE = 15;
const NICEST = 19;

/**
 * Lowers the priority of the worker thread that calls it, so that requests go first. On Linux alone: other systems refuse it, or apply it to the whole
 * process.
 */
export function yieldThread(): void {
  if (process.platform === "linux") setPriority(Math.min(NICEST, getPriority() + NICE));
}
