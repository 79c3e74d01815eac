import type { SmallerUnit, UnitHistory, UnitHistoryMetric } from "@assay/domain";
import { intraUserCorrelation, unitGain, unitsOfOwner } from "@assay/stats";

/** The gain for a metric from randomizing units smaller than users, estimated from the org's history. */
export interface UnitGain {
  readonly unit: SmallerUnit;
  /** Mean over users who have a unit. */
  readonly unitsPerUser: number;
  /** Correlation of the metric between two units of one user. */
  readonly correlation: number;
  /** How many times fewer units give the same interval. */
  readonly gain: number;
}

/** Below this number of users with a unit, their correlation is too rough to plan with. */
export const MIN_USERS_OF_GAIN = 30;

/**
 * Computes the gain of each unit for each metric. A metric is absent if history is not enough: too few users, no user with several units,
 * or the same value everywhere.
 */
export function unitGains(
  histories: ReadonlyMap<SmallerUnit, UnitHistory>,
): ReadonlyMap<string, readonly UnitGain[]> {
  const gains = [...histories].flatMap(([unit, { metrics }]) =>
    metrics.flatMap((metric) => {
      const gain = gainOf(metric);
      return gain === null ? [] : [{ metric: metric.metric, gain: { unit, ...gain } }];
    }),
  );
  const byMetric = Map.groupBy(gains, ({ metric }) => metric);
  return new Map([...byMetric].map(([metric, own]) => [metric, own.map(({ gain }) => gain)]));
}

function gainOf({ sample, meanY, meanD }: UnitHistoryMetric): Omit<UnitGain, "unit"> | null {
  const clusters = sample.clusters!;
  const users = new Set(clusters).size;
  if (users < MIN_USERS_OF_GAIN) return null;
  // For a ratio, these are the linearized values; for other kinds, d is 1.
  const scores = sample.y.map((y, i) => (y - (meanY / meanD) * sample.d[i]!) / meanD);
  const correlation = intraUserCorrelation([{ scores, clusters }]);
  if (correlation === null || Number.isNaN(correlation)) return null;
  const gain = unitGain({ unitsPerUser: unitsOfOwner(clusters), rho: correlation });
  return { unitsPerUser: clusters.length / users, correlation, gain };
}
