import type { Platform } from "../platform.ts";

/** Calls it with its own `this`, which browsers require. */
export const platformFetch: Platform["platformFetch"] = (url, init) => globalThis.fetch(url, init);
