import { murmur3 } from "@assay/bucketing";

/** The seed of everything random in an experiment's runs: the same snapshot gives the same bytes. */
export function runSeed(experimentId: string): number {
  return murmur3(experimentId, 0);
}
