import { Buffer } from "node:buffer";
import process from "node:process";
import { FileStore } from "../offline/file-store.ts";
import type { AttachSettings, Outbox, Platform } from "../platform.ts";

export { holdUntilSent } from "./hold-until-sent.ts";
export { limits } from "./process-limits.ts";

type Watched = AttachSettings & { readonly outbox: Outbox };

const LAST_FLUSH_MS = 2_000;

/** The clients that are not closed. However many there are, the process gets one listener of each kind. */
const watched = new Set<Watched>();

// A process, which may end without the client being closed. Signals are the application's own business.

export const loadsOnUse = false;

export const utf8Length: Platform["utf8Length"] = (text) => Buffer.byteLength(text);

export const environment: Platform["environment"] = (name) => globalThis.process?.env[name];

export const startTimer: Platform["startTimer"] = (task, delayMs, holdsProcess) => {
  const timer = setTimeout(task, delayMs);
  if (!holdsProcess) timer.unref();
  return () => clearTimeout(timer);
};

/** Flushes before the process ends by itself, and keeps what is unsent as it ends in any other way. */
export const attach: Platform["attach"] = (outbox, settings) => {
  const store = FileStore.open(settings);
  if (store !== null) outbox.useStore(store);
  const entry = { ...settings, outbox };
  if (watched.size === 0) {
    // Once, or a service that never answers would bring it up again and again.
    process.once("beforeExit", onBeforeExit);
    process.on("exit", onExit);
  }
  watched.add(entry);
  return () => {
    watched.delete(entry);
    if (watched.size > 0) return;
    process.off("beforeExit", onBeforeExit);
    process.off("exit", onExit);
  };
};

function onBeforeExit(): void {
  for (const { outbox, end } of watched) {
    // A request left hanging would hold the process for longer.
    void outbox.flush(LAST_FLUSH_MS).then((isSent) => isSent || end.abort());
  }
}

function onExit(): void {
  for (const { outbox, log } of watched) {
    const { store, unsent } = outbox;
    const lost = store?.keepNow ? store.keepNow(unsent) : unsent.length;
    if (lost > 0) log.count("event given up, the process ended", lost);
  }
}
