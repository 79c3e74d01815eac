import type { Platform } from "../platform.ts";

/** How much a client holds and sends at once in a process, which unlike a page is never hidden or left. */
export const limits: Platform["limits"] = {
  maxEvents: 10_000,
  maxBytes: 8 * 1024 * 1024,
  maxBatchBytes: 256 * 1024,
  firstFlushMs: Number.POSITIVE_INFINITY,
};
