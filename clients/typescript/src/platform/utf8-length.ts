import { UTF_8 } from "@assay/bucketing";
import type { Platform } from "../platform.ts";

/** Counts by encoding: pages and workers have no function that only counts. */
export const utf8Length: Platform["utf8Length"] = (text) => UTF_8.encode(text).length;
