import { murmur3 } from "@assay/bucketing";

/** Orders inputs at random: by a hash of the rehearsal's id and the input's. */
export function drawPlaces<T extends { readonly id: string }>(
  rehearsalId: string,
  items: readonly T[],
): readonly T[] {
  const hashed = items.map((item) => ({ item, hash: murmur3(JSON.stringify([rehearsalId, item.id]), 0) }));
  return hashed.sort((a, b) => a.hash - b.hash || (a.item.id < b.item.id ? -1 : 1)).map(({ item }) => item);
}
