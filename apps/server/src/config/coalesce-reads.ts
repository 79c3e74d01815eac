/**
 * Coalesces concurrent reads: every caller gets the result of a read that began after the call, and at most one read is running with
 * one more waiting. The source is therefore read once per round trip, at any request rate (a group commit for reads).
 */
export function coalesceReads<T>(read: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  let waiting: Promise<T> | null = null;

  function begin(): Promise<T> {
    waiting = null;
    running = read().finally(() => {
      // A waiting read starts next; until then no other may start.
      if (waiting === null) running = null;
    });
    return running;
  }

  return () => {
    if (running === null) return begin();
    waiting ??= running.then(begin, begin);
    return waiting;
  };
}
