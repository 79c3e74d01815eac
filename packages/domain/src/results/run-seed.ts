import { murmur3 } from "@assay/bucketing";

/** Returns a run's random seed, derived from the ids of what it computes: the same snapshot gives the same bytes. */
export function runSeed(...ids: readonly string[]): number {
  return murmur3(ids.join("|"), 0);
}
