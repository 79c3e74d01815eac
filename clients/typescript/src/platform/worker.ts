import type { Platform } from "../platform.ts";

export { platformFetch } from "./global-fetch.ts";
export { holdUntilSent } from "./hold-until-sent.ts";
export { later } from "./loaded.ts";
export { limits } from "./process-limits.ts";
export { utf8Length } from "./utf8-length.ts";

// The platform of a runtime without a file system or pages that may be stopped between requests, such as Cloudflare Workers.

export const loadsOnUse = true;

export const ownOptions: Platform["ownOptions"] = undefined;

export const environment: Platform["environment"] = (name) => globalThis.process?.env?.[name];

/** In the global scope of a Worker, timers are forbidden, so the task never runs. */
export const startTimer: Platform["startTimer"] = (task, delayMs) => {
  try {
    const timer = setTimeout(task, delayMs);
    return () => clearTimeout(timer);
  } catch {
    return () => {};
  }
};

export const keepFile: Platform["keepFile"] = () => ({ keyHash: "", read: () => null, save() {} });

export const attach: Platform["attach"] = () => {};
