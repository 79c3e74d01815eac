import type { KeptEvent, OfflineStore } from "../offline-store.ts";
import type { Outbox } from "../platform.ts";

/** A closing page may have 64 KiB in transit. The rest is for the batch's envelope. */
const MAX_LEAVING_BYTES = 60_000;

/**
 * Makes a function to call when the page may close. It puts a copy of the unsent events into the store, and immediately
 * sends as many of them as may outlive the page.
 */
export function leaverOf(outbox: Outbox, store: OfflineStore | null): () => void {
  const leaving = new Set<KeptEvent>();
  return () => {
    const { unsent } = outbox;
    void store?.keep(unsent);
    let room = MAX_LEAVING_BYTES;
    for (const { bytes } of leaving) room -= bytes + 1;
    const batch = unsent.filter((event) => {
      if (leaving.has(event) || event.bytes >= room) return false;
      room -= event.bytes + 1;
      return leaving.add(event);
    });
    void outbox.sendLast(batch).then(() => {
      for (const event of batch) leaving.delete(event);
    });
  };
}
