/** A framework may never report how something ended. */
const MAX_OPEN = 1_000;

/** Of runs: each has several parts at once, which are small. */
export const MANY_PARTS = 10_000;

/** Adds an entry to what is open; of more than `most`, the oldest is forgotten. */
export function keepNewest<Id, Value>(open: Map<Id, Value>, id: Id, value: Value, most = MAX_OPEN): void {
  open.set(id, value);
  for (const oldest of open.keys()) {
    if (open.size <= most) break;
    open.delete(oldest);
  }
}
