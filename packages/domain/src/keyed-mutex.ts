/** Runs tasks of one key one at a time, in the order of the calls; a failed task does not stop the next. */
export type KeyedMutex = <T>(key: string, task: () => Promise<T>) => Promise<T>;

/** Creates an in-memory mutex per key. It orders the tasks of this process only. */
export function createKeyedMutex(): KeyedMutex {
  const ends = new Map<string, Promise<unknown>>();
  return (key, task) => {
    const mine = (ends.get(key) ?? Promise.resolve()).then(task);
    const end = mine
      .catch(() => undefined)
      .then(() => {
        if (ends.get(key) === end) ends.delete(key);
      });
    ends.set(key, end);
    return mine;
  };
}
