import { correctClock } from "../clock-offset.ts";
import { countRejected } from "../count-rejected.ts";
import { completeFacts } from "../model-call/complete-facts.ts";
import type { Platform } from "../platform.ts";
import { reportOptions } from "../report-options.ts";

const PART = { completeFacts, correctClock, countRejected, reportOptions };

/** Everything is loaded at the start. */
export const later: Platform["later"] = (use) => use(PART);
