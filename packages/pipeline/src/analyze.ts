import {
  type AllocationPeriod,
  type ArmSnapshot,
  type Experiment,
  type ExperimentResults,
  formatRunLabel,
  type HealthEntry,
  type MetricResult,
  runSeed,
} from "@assay/domain";
import { adjustFdr } from "@assay/stats";
import { metricRows, type UncorrectedRow } from "./metric-rows.ts";
import type { RunFrame } from "./run-frame.ts";
import { runHealth } from "./run-health.ts";
import { srmGate } from "./srm-gate.ts";

/** Spec §1.4: decided on the corrected p-value only. */
export const SIGNIFICANCE_THRESHOLD = 0.05;

/** Analyses a frozen snapshot: SRM gate, then significance, then FDR correction (spec §1.3). Pure. */
export function analyze(frame: RunFrame, snapshot: ArmSnapshot): ExperimentResults {
  const { experiment, periods, label, until, computedAt } = frame;
  const srm = srmGate(snapshot.exposures, periods, { seed: runSeed(experiment.id) });
  const window = { from: snapshot.firstExposureAt, to: until };
  const arms = armsOf(experiment, periods);
  const input = { experiment, label, arms, sums: snapshot.metrics, srmP: srm.pValue, window };
  const perMetric =
    srm.status === "halted" ? [] : experiment.config.metrics.map((metric) => metricRows(metric, input));
  const rows = correct(perMetric.flatMap((metric) => metric.rows));
  const health: HealthEntry[] = [
    ...runHealth(frame, snapshot, srm),
    ...perMetric.flatMap((metric) => metric.health),
  ];
  return {
    experimentId: experiment.id,
    version: experiment.version,
    computedFor: formatRunLabel(label),
    preliminary: label.kind === "manual",
    computedAt,
    window,
    srm,
    results: Object.fromEntries(rows.map((row) => [`${row.metric}::${row.treatment}`, row])),
    health,
  };
}

/** Control, then every other arm that any period gives users to. */
function armsOf({ config }: Experiment, periods: readonly AllocationPeriod[]): readonly string[] {
  const allocated = new Set(
    periods.flatMap(({ shares }) => Object.keys(shares).filter((arm) => (shares[arm] ?? 0) > 0)),
  );
  const treatments = config.variants
    .map(({ key }) => key)
    .filter((key) => key !== config.control && allocated.has(key));
  return [config.control, ...treatments];
}

/** Corrects over every row of the run, all metrics and treatments being one family (statistics §5). */
function correct(rows: readonly UncorrectedRow[]): readonly MetricResult[] {
  const corrected = adjustFdr(rows.map(({ pValue }) => pValue));
  return rows.map((row, index) => {
    const pValueFdr = corrected[index] ?? 1;
    const significant = pValueFdr < SIGNIFICANCE_THRESHOLD;
    return { ...row, pValueFdr, significant, verdict: verdictOf(row, significant) };
  });
}

function verdictOf({ effect, desired }: UncorrectedRow, significant: boolean): MetricResult["verdict"] {
  if (!significant || effect === 0) return "inconclusive";
  return effect > 0 === (desired === "increase") ? "better" : "worse";
}
