import type { checkName as listed } from "./listed.ts";

/** Not in browsers, where size is scarce, and not in workers, where an event alone does not load the config. */
export const checkName = null as typeof listed | null;
