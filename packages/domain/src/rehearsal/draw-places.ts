import { murmur3 } from "@assay/bucketing";

/** Orders inputs at random: by a hash of the rehearsal's id and the input's. */
export function drawPlaces<T extends { readonly id: string }>(
  rehearsalId: string,
  items: readonly T[],
): readonly T[] {
  const drawn = items.map((item) => ({ item, hash: hashOf(rehearsalId, item.id) }));
  return drawn.sort((a, b) => (a.hash < b.hash ? -1 : 1)).map(({ item }) => item);
}

/** Hashes an id within a rehearsal to 64 bits, so that collisions are very unlikely. */
export function hashOf(rehearsalId: string, id: string): string {
  const text = JSON.stringify([rehearsalId, id]);
  return [0, 1].map((seed) => murmur3(text, seed).toString(16).padStart(8, "0")).join("");
}
