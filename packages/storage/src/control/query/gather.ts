interface Waiting<T> {
  readonly items: readonly T[];
  readonly done: PromiseWithResolvers<void>;
}

/**
 * Makes calls that come at the same time share one write, because each commit waits for the disk. If it fails, each of them is written
 * alone, so that none fails for another's sake.
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
    // The requests that have arrived by now are read before it runs.
    if (waiting.length === 1) setImmediate(flush);
    return done.promise;
  };
}
