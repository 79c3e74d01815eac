import type { MetricDefinition } from "@assay/domain";
import type { ArmData } from "../compare/arm-data.ts";

/** How unequally users contribute to a metric. */
export interface UserWeights {
  /**
   * The largest share of the arm's calls, or of its sum of values, that one user has; null if all users count equally.
   */
  readonly largestShare: number | null;
  /** The share of users with the most common value; null when the metric's tests do not depend on it. */
  readonly tiedShare: number | null;
}

/** Weighs the users of an arm in the way that the metric's tests use them. */
export function weighUsers({ kind }: Pick<MetricDefinition, "kind">, arm: ArmData): UserWeights {
  const { values, bins } = arm;
  if (bins !== null) {
    const { counts, offsets } = bins;
    const calls = Float64Array.from({ length: offsets.length - 1 }, (_, user) =>
      counts.subarray(offsets[user]!, offsets[user + 1]!).reduce((sum, count) => sum + count, 0),
    );
    return { largestShare: largestShare(calls), tiedShare: null };
  }
  if (values === null) return { largestShare: null, tiedShare: null };
  const tiedShare = commonestCount(values.y) / values.y.length;
  // Ranks weigh all users alike.
  if (kind === "ordinal") return { largestShare: null, tiedShare };
  return { largestShare: Math.max(largestShare(values.y), largestShare(values.d)), tiedShare };
}

function largestShare(weights: Float64Array): number {
  let [largest, sum] = [0, 0];
  for (const weight of weights) {
    largest = Math.max(largest, Math.abs(weight));
    sum += Math.abs(weight);
  }
  return sum === 0 ? 0 : largest / sum;
}

function commonestCount(values: Float64Array): number {
  const counts = new Map<number, number>();
  let most = 0;
  for (const value of values) {
    const count = (counts.get(value) ?? 0) + 1;
    counts.set(value, count);
    most = Math.max(most, count);
  }
  return most;
}
