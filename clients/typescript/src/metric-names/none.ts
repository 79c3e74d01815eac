import type { checkName as listed } from "./listed.ts";

/** Browsers have no room for a check of names, and in workers an event alone does not load the config. */
export const checkName = null as typeof listed | null;
