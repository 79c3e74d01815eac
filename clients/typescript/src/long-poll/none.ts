import type { openLongPoll as asked } from "./asked.ts";

/** Browsers have no room for it and few connections to spare, and in workers nothing waits between requests. */
export const openLongPoll = null as typeof asked;
