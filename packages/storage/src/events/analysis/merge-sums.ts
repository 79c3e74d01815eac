import type { ArmMetric } from "@assay/domain";

/** What an engine tells of one metric's values over a set of users. */
export type MetricSums = Omit<ArmMetric, "metric" | "arm" | "period" | "sample">;

/** Puts together the sums of disjoint sets of users; null when there is none. In the order of the list: its bits depend on it. */
export function mergeSums(parts: readonly (MetricSums | null)[]): MetricSums | null {
  const [first, ...rest] = parts.filter((part) => part !== null);
  return first === undefined ? null : rest.reduce(mergeTwo, first);
}

/**
 * Puts together the sums of two disjoint sets of users, as one pass over both would have them (Chan, Golub and LeVeque 1983).
 * What no double holds is NaN.
 */
function mergeTwo(one: MetricSums, other: MetricSums): MetricSums {
  const users = one.users + other.users;
  const share = other.users / users;
  const weight = one.users * share;
  const dY = other.meanY - one.meanY;
  const dD = other.meanD - one.meanD;
  return {
    users,
    events: one.events + other.events,
    meanY: orNaN(one.meanY + dY * share),
    m2Y: orNaN(one.m2Y + other.m2Y + dY * dY * weight),
    meanD: orNaN(one.meanD + dD * share),
    m2D: orNaN(one.m2D + other.m2D + dD * dD * weight),
    cYD: orNaN(one.cYD + other.cYD + dY * dD * weight),
    fineCounts: addCounts(one.fineCounts, other.fineCounts),
  };
}

/** Adds counts key by key, the keys in ascending order. */
export function addCounts<K extends number | string>(
  one: ReadonlyMap<K, number>,
  other: ReadonlyMap<K, number>,
): Map<K, number> {
  const keys = [...new Set([...one.keys(), ...other.keys()])].sort((a, b) => (a < b ? -1 : 1));
  return new Map(keys.map((key) => [key, (one.get(key) ?? 0) + (other.get(key) ?? 0)]));
}

function orNaN(value: number): number {
  return Number.isFinite(value) ? value : Number.NaN;
}
