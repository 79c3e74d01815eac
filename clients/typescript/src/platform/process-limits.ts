import type { Platform } from "../platform.ts";

/** How much a client holds and sends at once in a process, which unlike a page is never hidden or closed by a user. */
export const limits: Platform["limits"] = [10_000, 8 * 1024 * 1024, 256 * 1024, Number.POSITIVE_INFINITY];
