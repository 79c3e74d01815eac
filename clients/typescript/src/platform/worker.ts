import type { Platform } from "../platform.ts";

export { holdUntilSent } from "./hold-until-sent.ts";

// A runtime without a file system or pages, such as Cloudflare Workers, which may be stopped between requests.

export const limits: Platform["limits"] = {
  maxEvents: 10_000,
  maxBytes: 8 * 1024 * 1024,
  maxBatchBytes: 256 * 1024,
  firstFlushMs: Number.POSITIVE_INFINITY,
};

export const loadsOnUse = true;

const UTF_8 = new TextEncoder();

export const utf8Length: Platform["utf8Length"] = (text) => UTF_8.encode(text).length;

export const environment: Platform["environment"] = (name) => globalThis.process?.env?.[name];

/** In the global scope of a Worker timers are forbidden: the task never runs. */
export const startTimer: Platform["startTimer"] = (task, delayMs) => {
  try {
    const timer = setTimeout(task, delayMs);
    return () => clearTimeout(timer);
  } catch {
    return () => {};
  }
};

export const attach: Platform["attach"] = () => () => {};
