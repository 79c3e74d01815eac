interface Waiting<T> {
  readonly items: readonly T[];
  readonly done: PromiseWithResolvers<void>;
}

/**
 * Combines simultaneous calls into one write, because each commit waits for the disk. If that write fails, each call is written
 * alone, so that no call fails because of another.
 */
export function gather<T>(
  write: (items: readonly T[]) => Promise<void>,
): (items: readonly T[]) => Promise<void> {
  let waiting: Waiting<T>[] = [];
  const flush = async () => {
    const group = waiting;
    waiting = [];
    try {
      await write(group.flatMap(({ items }) => items));
      for (const { done } of group) done.resolve();
    } catch (error) {
      if (group.length === 1) for (const { done } of group) done.reject(error);
      else for (const { items, done } of group) await write(items).then(done.resolve, done.reject);
    }
  };
  return (items) => {
    const done = Promise.withResolvers<void>();
    waiting.push({ items, done });
    // Requests that have already arrived are read before the write runs.
    if (waiting.length === 1) setImmediate(flush);
    return done.promise;
  };
}
