/** The limit exists because a framework may never report how something ended. */
const MAX_OPEN = 1_000;

/** A limit for runs, each of which has several small parts at once. */
export const MANY_PARTS = 10_000;

/** Adds an entry to what is open. Beyond `most` entries, forgets the oldest. */
export function keepNewest<Id, Value>(open: Map<Id, Value>, id: Id, value: Value, most = MAX_OPEN): void {
  open.set(id, value);
  for (const oldest of open.keys()) {
    if (open.size <= most) break;
    open.delete(oldest);
  }
}
