import { Buffer } from "node:buffer";
import process from "node:process";
import { FileStore } from "../offline/file-store.ts";
import { createKeeper } from "../offline/keeper.ts";
import type { OfflineStore } from "../offline-store.ts";
import type { AttachSettings, Outbox, Platform } from "../platform.ts";
import { VERSION } from "../version.ts";

export { openConfigFile as keepFile } from "../offline/config-file.ts";
export { holdUntilSent } from "./hold-until-sent.ts";
export { later } from "./loaded.ts";
export { limits } from "./process-limits.ts";

type Watched = AttachSettings & { readonly outbox: Outbox; readonly store: OfflineStore | null };

const LAST_FLUSH_MS = 2_000;
const USER_AGENT = `assay-typescript/${VERSION}`;

/** The open clients. The process gets only one listener of each kind for all of them. */
const watched = new Set<Watched>();

// The platform of a Node process. It may end without closing the client. Signals are left to the application.

export const loadsOnUse = false;

export const ownOptions: Platform["ownOptions"] = { durable: false, longPoll: false };

export const utf8Length: Platform["utf8Length"] = (text) => Buffer.byteLength(text);

export const environment: Platform["environment"] = (name) => globalThis.process?.env[name];

/** Names the library and its version, which the service keeps with each event. */
export const platformFetch: Platform["platformFetch"] = (url, init) =>
  globalThis.fetch(url, { ...init, headers: { ...init.headers, "User-Agent": USER_AGENT } });

export const startTimer: Platform["startTimer"] = (task, delayMs, holdsProcess) => {
  const timer = setTimeout(task, delayMs);
  if (!holdsProcess) timer.unref();
  return () => clearTimeout(timer);
};

/** Flushes before the process ends by itself. If it ends in another way, keeps the unsent events. */
export const attach: Platform["attach"] = (outbox, settings) => {
  const store = FileStore.open(settings);
  if (store !== null) outbox.useKeeper((queue) => createKeeper(store, queue));
  // False for an offline client, which keeps nothing.
  else if (settings.durable && settings.offlineStore !== false)
    throw new Error("durable needs an offlineStore: a folder that this process can write to.");
  const entry = { ...settings, outbox, store };
  if (watched.size === 0) {
    // Only once: otherwise a service that never answers would trigger it again and again.
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
    // A hanging request would keep the process alive longer.
    void outbox.flush(LAST_FLUSH_MS).then((isSent) => isSent || end.abort());
  }
}

function onExit(): void {
  for (const { outbox, store, log } of watched) {
    const { unsent } = outbox;
    const lost = store?.keepNow ? store.keepNow(unsent) : unsent.length;
    if (lost > 0) log.count("event given up, the process ended", lost);
  }
}
