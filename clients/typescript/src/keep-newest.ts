/** A framework may never report how something ended. */
const MAX_OPEN = 1_000;

/** Adds an entry to what is open; with more than 1,000, the oldest is forgotten. */
export function keepNewest<Value>(open: Map<string, Value>, id: string, value: Value): void {
  open.set(id, value);
  for (const [oldest] of open) if (open.size > MAX_OPEN) open.delete(oldest);
}
