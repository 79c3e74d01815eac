/** Stores a value as the most recently used one. Beyond `most` values, it drops the least recently used one. */
export function keepLastUsed<K, V>(kept: Map<K, V>, [key, value]: readonly [K, V], most: number): void {
  kept.delete(key);
  kept.set(key, value);
  const [oldest] = kept.keys();
  if (kept.size > most) kept.delete(oldest!);
}

/** Returns the map that is kept for an owner, as long as the owner lives. It is empty at first. */
export function keptFor<K, V>(kept: WeakMap<object, Map<K, V>>, owner: object): Map<K, V> {
  const own = kept.get(owner) ?? new Map<K, V>();
  kept.set(owner, own);
  return own;
}
