/** Keeps a value as the one that was used last, and forgets the one that was used longest ago once there are more than `most`. */
export function keepLastUsed<K, V>(kept: Map<K, V>, [key, value]: readonly [K, V], most: number): void {
  kept.delete(key);
  kept.set(key, value);
  const [oldest] = kept.keys();
  if (kept.size > most) kept.delete(oldest!);
}
