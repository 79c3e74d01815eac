import { murmur3 } from "@assay/bucketing";

/** The seed of what is random in a run, from the ids of what is computed: the same snapshot gives the same bytes. */
export function runSeed(...ids: readonly string[]): number {
  return murmur3(ids.join("|"), 0);
}
