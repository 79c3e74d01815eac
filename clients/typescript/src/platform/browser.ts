import { murmur3 } from "@assay/bucketing";
import type { Platform } from "../platform.ts";
import { page } from "./page-globals.ts";

export { utf8Length } from "./utf8-length.ts";

// A page, which may be hidden at any time and never come back. Nothing in it waits for a promise, or has variables.

export const limits: Platform["limits"] = {
  maxEvents: 1_000,
  maxBytes: 1024 * 1024,
  maxBatchBytes: 50_000,
  firstFlushMs: 1_000,
};

export const loadsOnUse = false;

/** A page has no environment variables. */
export function environment(): undefined {}

export const holdUntilSent: Platform["holdUntilSent"] = () => () => {};

/** A browser's timer is a number and holds nothing. */
export const startTimer: Platform["startTimer"] = (task, delayMs) => {
  const timer = setTimeout(task, delayMs);
  return () => clearTimeout(timer);
};

/** What a page needs only once it is hidden, or something could not be delivered, loads besides its start. */
export const attach: Platform["attach"] = (outbox, settings) => {
  let leave: () => unknown = () => outbox.flush(0);
  import("./lazy.ts").then(
    ({ leaverOf, openIndexedDb }) => {
      leave = leaverOf(outbox);
      openIndexedDb(settings, outbox, murmur3);
      onHide(); // it may be hidden already
    },
    () => settings.log.once("warn", "a part did not load, nothing is kept"),
  );
  // Whenever the page is hidden, it may be the last that it hears.
  const onHide = (event?: { type: string }) => {
    if (event?.type === "pagehide" || page.document?.visibilityState === "hidden") leave();
  };
  for (const type of ["visibilitychange", "pagehide"]) {
    // Old Safari does not let visibilitychange bubble up to the window; captured, it comes by in any case.
    page.addEventListener?.(type, onHide, { capture: true, signal: settings.end.signal });
  }
  return () => {};
};
