import { openIndexedDb } from "../offline/indexeddb-store.ts";
import { createKeeper } from "../offline/keeper.ts";
import type { AttachSettings, Outbox } from "../platform.ts";
import { leaverOf } from "./leave-page.ts";

// What a page loads after its start. It is a single file, because all parts are needed at the same time.

export { correctClock } from "../clock-offset.ts";
export { countRejected } from "../count-rejected.ts";
export { completeFacts } from "../model-call/complete-facts.ts";
export { reportOptions } from "../report-options.ts";
export { saveConfig } from "./config-storage.ts";

/** Keeps the events of an outbox for later. Returns the function to call when the page may close. */
export function keepInPage(
  outbox: Outbox,
  settings: AttachSettings,
  hash: (text: string, seed: number) => number,
): () => void {
  const store = openIndexedDb(settings, hash);
  if (store) outbox.useKeeper((queue) => createKeeper(store, queue));
  return leaverOf(outbox, store);
}
