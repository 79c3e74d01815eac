/** Runs works of one key one after the other, in the order of the calls; a failure does not stop the next. */
export type Turns = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** Makes turns among those who share them. */
export function createTurns(): Turns {
  const ends = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const mine = (ends.get(key) ?? Promise.resolve()).then(work);
    const end = mine
      .catch(() => undefined)
      .then(() => {
        if (ends.get(key) === end) ends.delete(key);
      });
    ends.set(key, end);
    return mine;
  };
}
