import type { ArmMetric } from "@assay/domain";
import { mergeRatioMoments } from "@assay/stats";

/** The sums of one metric's values over a set of users. */
export type MetricSums = Omit<ArmMetric, "metric" | "arm" | "period" | "sample">;

/** Merges the sums of disjoint sets of users; null without users. The order of the list decides the last bits. */
export function mergeSums(parts: readonly (MetricSums | null)[]): MetricSums | null {
  const [first, ...rest] = parts.filter((part) => part !== null);
  return first === undefined ? null : rest.reduce(mergeTwo, first);
}

function mergeTwo(one: MetricSums, other: MetricSums): MetricSums {
  const { n, meanY, m2Y, meanD, m2D, cYD } = mergeRatioMoments(
    { ...one, n: one.users },
    { ...other, n: other.users },
  );
  return {
    users: n,
    events: one.events + other.events,
    meanY: orNaN(meanY),
    m2Y: orNaN(m2Y),
    meanD: orNaN(meanD),
    m2D: orNaN(m2D),
    cYD: orNaN(cYD),
    fineCounts: addCounts(one.fineCounts, other.fineCounts),
  };
}

/** Adds counts key by key, in ascending order of the keys. */
export function addCounts<K extends number | string>(
  one: ReadonlyMap<K, number>,
  other: ReadonlyMap<K, number>,
): Map<K, number> {
  const keys = [...new Set([...one.keys(), ...other.keys()])].sort((a, b) => (a < b ? -1 : 1));
  return new Map(keys.map((key) => [key, (one.get(key) ?? 0) + (other.get(key) ?? 0)]));
}

/** Returns NaN for a number that overflowed, as the engine does. */
function orNaN(value: number): number {
  return Number.isFinite(value) ? value : Number.NaN;
}
