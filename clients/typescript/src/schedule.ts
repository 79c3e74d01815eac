/** Cancels a scheduled task that has not run yet. Does nothing afterward. */
export type Cancel = () => void;

/**
 * Runs `task` once after `delayMs`. `holdsProcess` keeps a Node process alive until then; set only while a caller is
 * waiting.
 */
export type Schedule = (delayMs: number, task: () => void, holdsProcess?: boolean) => Cancel;
