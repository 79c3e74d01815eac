/**
 * Makes a read that many share: whoever asks gets what a read found that began after they asked, and at most one is under way
 * with one more waiting for its end. So the source is asked once per round trip, whatever the rate (a group commit, for reads).
 */
export function coalesceReads<T>(read: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  let waiting: Promise<T> | null = null;

  function begin(): Promise<T> {
    waiting = null;
    running = read().finally(() => {
      // Who waits begins the next one in a moment: until then nobody else may.
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
