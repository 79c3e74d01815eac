import type { openLongPoll as asked } from "./asked.ts";

/** Not in browsers, where size and connections are scarce, and not in workers, where nothing waits between requests. */
export const openLongPoll = null as typeof asked;
