import {
  type ArmMetric,
  isCost,
  type MetricDefinition,
  type MetricQuery,
  type MetricResult,
} from "@assay/domain";
import { pairStrata } from "../compare/arm-data.ts";
import { compareArms } from "../compare/compare-arms.ts";
import { metricQueries } from "../compare/metric-queries.ts";
import type { RunFrame } from "../run-frame.ts";

/** Change of the mean cost per user in US dollars, with its 95% interval. */
export interface CostPerUser {
  readonly effect: number;
  readonly ciLow: number;
  readonly ciHigh: number;
}

/**
 * Lists the additional queries that are needed to express savings in money per user: the mean cost per user for each cost
 * metric with another unit. Empty if no metric has a margin.
 */
export function costPerUserQueries(metrics: readonly MetricDefinition[]): readonly MetricQuery[] {
  if (metrics.every(({ margin }) => margin === null)) return [];
  const others = metrics.filter((metric) => isCost(metric) && !isMeanPerUser(metric));
  return metricQueries(others.map(asMeanPerUser));
}

/**
 * Returns the change of the cost per user: from the row if that is its unit, otherwise from the comparison of means of
 * `costPerUserQueries`. That comparison is not a row of the run and belongs to no family of tests. Null without an
 * interval.
 */
export function costPerUser(
  metric: MetricDefinition,
  row: MetricResult,
  { frame, sums }: { readonly frame: Pick<RunFrame, "periods">; readonly sums: readonly ArmMetric[] },
): CostPerUser | null {
  if (isMeanPerUser(metric)) return toCost(row);
  const mean = asMeanPerUser(metric);
  const own = sums.filter((sum) => sum.metric === mean.name);
  const { strata } = pairStrata(own, row, frame.periods);
  // A closed form without random draws, so the seed does not matter.
  const comparison = compareArms(mean, strata, { permutations: 0, seed: 0 });
  return comparison && toCost(comparison.outcome);
}

/** The effect of a rank test is not an amount of money. */
function isMeanPerUser({ kind, method, methodDefault }: MetricDefinition): boolean {
  return kind === "mean" && (method ?? methodDefault) !== "mann_whitney_u";
}

/** The spaces in the name prevent a clash with the metrics' names. */
function asMeanPerUser(metric: MetricDefinition): MetricDefinition {
  return { ...metric, name: `${metric.name} per user`, kind: "mean", cap: null, method: "welch_t" };
}

function toCost({
  effect,
  ciLow,
  ciHigh,
}: Pick<MetricResult, "effect" | "ciLow" | "ciHigh">): CostPerUser | null {
  return ciLow === null || ciHigh === null ? null : { effect, ciLow, ciHigh };
}
