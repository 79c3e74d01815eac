/** A bucket map as in the config: runs `[end, variantIndex]`, ascending, the first from 0; -1 means no owner. */
export type WireBuckets = readonly (readonly [end: number, variantIndex: number])[];

/** A bucket map prepared for lookup: run `i` ends before `ends[i]` and belongs to variant number `owners[i]`. */
export interface CompiledBuckets {
  readonly ends: Uint32Array;
  readonly owners: Int32Array;
}

/** Prepares a bucket map for `variantAt`, once per config. */
export function compileBuckets(wire: WireBuckets): CompiledBuckets {
  return {
    ends: Uint32Array.from(wire, ([end]) => end),
    owners: Int32Array.from(wire, ([, variantIndex]) => variantIndex),
  };
}

/** Returns the index of the variant that owns `bucket`, or -1 when none does. */
export function variantAt({ ends, owners }: CompiledBuckets, bucket: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ends[middle]! <= bucket) low = middle + 1;
    else high = middle;
  }
  return owners[low] ?? -1;
}
