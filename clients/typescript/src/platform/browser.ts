import { murmur3 } from "@assay/bucketing";
import type { Platform } from "../platform.ts";
import { page } from "./page-globals.ts";

export { platformFetch } from "./global-fetch.ts";
export { loadsOnUse, ownOptions } from "./page-constants.ts";
export { utf8Length } from "./utf8-length.ts";

// The platform of a page, which may be hidden at any time and never come back. A page has no `waitUntil`.

export const limits: Platform["limits"] = [1_000, 1024 * 1024, 50_000, 1_000];

/** A page has no environment variables. */
export function environment(): undefined {}

export const holdUntilSent: Platform["holdUntilSent"] = () => () => {};

/** In a browser, a timer is a number and keeps nothing alive. */
export const startTimer: Platform["startTimer"] = (task, delayMs) => {
  const timer = setTimeout(task, delayMs);
  return () => clearTimeout(timer);
};

type Part = typeof import("./lazy.ts");
let loaded: Part | undefined;

/** The part is loaded once for all clients of the page. */
export function later(use: (part: Part) => void, missing = () => {}): void {
  if (loaded) use(loaded);
  else
    import("./lazy.ts").then((part) => {
      loaded = part;
      use(part);
    }, missing);
}

/** In localStorage because, unlike IndexedDB, it answers at once, before the page requests its first variant. */
export const keepFile: Platform["keepFile"] = (settings) => {
  const keyHash = `assay-${murmur3(settings.apiKey, 0).toString(36)}`;
  return {
    keyHash,
    read() {
      try {
        return settings.offlineStore === false ? null : page.localStorage!.getItem(keyHash);
      } catch {
        return null; // missing, or a sandboxed page may not access it
      }
    },
    save: (...configs) => later(({ saveConfig }) => saveConfig({ ...settings, keyHash }, ...configs)),
  };
};

/** Loaded separately: a page needs this only once it is hidden or a delivery has failed. */
export const attach: Platform["attach"] = (outbox, settings) => {
  let leave: () => unknown = () => outbox.flush(0);
  // This may be the last event that the page gets, so it acts every time the page is hidden.
  const onHide = (event?: { type: string }) => {
    if (event?.type === "pagehide" || page.document?.visibilityState === "hidden") leave();
  };
  later(
    ({ keepInPage }) => {
      leave = keepInPage(outbox, settings, murmur3);
      onHide(); // it may be hidden already
    },
    () => settings.log.sayOnce("warn", "a part did not load, nothing is kept"),
  );
  for (const type of ["visibilitychange", "pagehide"]) {
    // In old Safari, visibilitychange does not bubble up to the window. A capturing listener gets it in every browser.
    page.addEventListener?.(type, onHide, { capture: true, signal: settings.end.signal });
  }
};
