import {
  type MetricDefinition,
  type MetricResult,
  REHEARSAL_METRICS,
  type RehearsalMetric,
  type RehearsalPlan,
  type RehearsedRow,
  SCALE_RANGES,
} from "@assay/domain";
import { forecastUnit, rehearsedEffect } from "./forecast-experiment.ts";
import type { LedgerEntry } from "./ledger.ts";

type Judged = Pick<RehearsalPlan, "judge">;

/**
 * Finds the experiment's metric that measures the same online; null if there is none. A score needs a judged metric with the same scale, a
 * preference one with scale 0-1, so that all findings have one unit. Errors are shares of calls. For costs, latencies and tokens, metrics
 * per call are preferred to metrics per user.
 */
export function onlineMetric(
  metric: RehearsalMetric,
  { judge }: Judged,
  metrics: readonly MetricDefinition[],
): MetricDefinition | null {
  const perCall = metrics.filter(({ kind }) => kind === "ratio");
  const perUser = metrics.filter(({ kind }) => kind === "mean");
  const isField =
    (field: string) =>
    ({ source }: MetricDefinition) =>
      source.event === "model_call" && source.field === field;
  switch (metric) {
    case "preference":
    case "score":
      return (
        [...perCall, ...perUser, ...metrics.filter(({ kind }) => kind === "binary")].find(
          isQuality(metric === "score" ? judge.scale : null),
        ) ?? null
      );
    case "error":
      return perCall.find(isField("error")) ?? null;
    case "length":
      return null;
    default:
      return [...perCall, ...perUser].find(isField(metric)) ?? null;
  }
}

const isQuality =
  (scale: string | null) =>
  ({ judge }: MetricDefinition): boolean => {
    if (judge === null) return false;
    return scale === null ? SCALE_RANGES[judge.scale].max === 1 : judge.scale === scale;
  };

interface Followed {
  readonly plan: Judged;
  /** Rows of the rehearsal, as stored before the experiment. */
  readonly rows: readonly RehearsedRow[];
  readonly metrics: readonly MetricDefinition[];
  /** Rows of the experiment's run. Its treatments have the same names as the rehearsal's. */
  readonly results: readonly MetricResult[];
}

/** A pair of the ledger with its names. */
export interface LedgerPair extends LedgerEntry {
  readonly treatment: string;
  /** Name of the experiment's metric. */
  readonly onlineMetric: string;
}

/** Pairs the results of a rehearsal with the results of its experiment. */
export function ledgerPairs({ plan, rows, metrics, results }: Followed): readonly LedgerPair[] {
  return REHEARSAL_METRICS.flatMap((metric) => {
    const online = onlineMetric(metric, plan, metrics);
    if (online === null) return [];
    const own = rows.filter((row) => row.metric === metric);
    return own.flatMap((row): readonly LedgerPair[] => {
      const rehearsed = rehearsedEffect(row);
      const result = results.find((one) => one.metric === online.name && one.treatment === row.treatment);
      if (rehearsed === null || result === undefined) return [];
      const [found, foundLow, foundHigh] =
        forecastUnit(metric) === "relative"
          ? [result.relativeEffect, result.relativeCiLow, result.relativeCiHigh]
          : [result.effect, result.ciLow, result.ciHigh];
      if (found === null || foundLow === null || foundHigh === null) return [];
      const { treatment } = row;
      return [
        {
          metric,
          treatment,
          onlineMetric: result.metric,
          rehearsed: rehearsed.effect,
          found,
          foundLow,
          foundHigh,
        },
      ];
    });
  });
}
