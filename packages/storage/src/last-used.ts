/** Keeps a value as the one that was used last, and forgets the one that was used longest ago once there are more than `most`. */
export function keepLastUsed<K, V>(kept: Map<K, V>, [key, value]: readonly [K, V], most: number): void {
  kept.delete(key);
  kept.set(key, value);
  const [oldest] = kept.keys();
  if (kept.size > most) kept.delete(oldest!);
}

/** Returns what is kept for an owner as long as it lives, nothing at first. */
export function keptFor<K, V>(kept: WeakMap<object, Map<K, V>>, owner: object): Map<K, V> {
  const own = kept.get(owner) ?? new Map<K, V>();
  kept.set(owner, own);
  return own;
}
