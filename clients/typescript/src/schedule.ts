/** Stops a scheduled task that has not run yet; harmless afterwards. */
export type Cancel = () => void;

/**
 * Runs `task` once after `delayMs`. `holdsProcess` keeps a Node process alive until then; only a caller who is
 * waiting asks for that.
 */
export type Schedule = (delayMs: number, task: () => void, holdsProcess?: boolean) => Cancel;
