import type { KeptEvent } from "./offline-store.ts";

/** Copies the first events, up to `maxEvents` and `maxBytes`, but at least one if there is any. */
export function cutBatch(
  events: Iterable<KeptEvent>,
  maxEvents: number,
  maxBytes: number,
): readonly KeptEvent[] {
  const batch: KeptEvent[] = [];
  let bytes = 0;
  for (const event of events) {
    bytes += event.bytes;
    if (batch.length > 0 && (batch.length >= maxEvents || bytes > maxBytes)) break;
    batch.push(event);
  }
  return batch;
}
