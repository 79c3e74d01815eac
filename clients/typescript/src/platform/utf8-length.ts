import { UTF_8 } from "@assay/bucketing";
import type { Platform } from "../platform.ts";

/** Encodes the text to count its bytes, because pages and workers have no function that only counts. */
export const utf8Length: Platform["utf8Length"] = (text) => UTF_8.encode(text).length;
