import { murmur3 } from "@assay/bucketing";

/** Returns a random seed that depends only on the given ids, so that the same snapshot gives the same bytes. */
export function runSeed(...ids: readonly string[]): number {
  return murmur3(ids.join("|"), 0);
}
