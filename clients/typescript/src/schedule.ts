import { startTimer } from "#platform";

/** Stops a scheduled task that has not run yet; harmless afterwards. */
export type Cancel = () => void;

/**
 * Runs `task` once after `delayMs`. `holdsProcess` keeps a Node process alive until then; only a caller who is
 * waiting asks for that.
 */
export type Schedule = (delayMs: number, task: () => void, holdsProcess?: boolean) => Cancel;

/** The longest delay that setTimeout takes; it fires at once on a longer one. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Schedules with setTimeout. A delay that is not a number is none. */
export const scheduleTimer: Schedule = (delayMs, task, holdsProcess = false) =>
  startTimer(task, Math.max(0, Math.min(LONGEST_TIMER_MS, delayMs || 0)), holdsProcess);
