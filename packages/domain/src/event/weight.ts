/** The most events that one counts for. */
export const MAX_WEIGHT = 2 ** 20;

/** Returns how many events one counts for that a sampler keeps with this probability; null: all are kept. */
export function weightOfEvent(samplingProbability: number | null): number {
  return samplingProbability === null ? 1 : Math.min(1 / samplingProbability, MAX_WEIGHT);
}
