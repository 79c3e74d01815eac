/** The maximum number of events that one event counts for. */
export const MAX_WEIGHT = 2 ** 20;

/** Returns how many events one event counts for if a sampler kept it with this probability; null: it was not sampled. */
export function weightOfEvent(samplingProbability: number | null): number {
  return samplingProbability === null ? 1 : Math.min(1 / samplingProbability, MAX_WEIGHT);
}
