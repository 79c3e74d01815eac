import {
  type AllocationPeriod,
  type ArmSnapshot,
  type Experiment,
  type ExperimentResults,
  formatRunLabel,
  type HealthEntry,
  runSeed,
} from "@assay/domain";
import { correctRows } from "./correct.ts";
import { metricRows } from "./metric-rows.ts";
import type { RunFrame } from "./run-frame.ts";
import { floorEntry, runHealth } from "./run-health.ts";
import { srmGate } from "./srm-gate.ts";

/** Analyses a frozen snapshot: SRM gate, then significance, then FDR correction (spec §1.3). Pure: the same input gives the same bytes. */
export function analyze(frame: RunFrame, snapshot: ArmSnapshot): ExperimentResults {
  const { experiment, periods, label, until, computedAt, codeVersion } = frame;
  const seed = runSeed(experiment.id);
  const srm = srmGate(snapshot.exposures, periods, { seed });
  const window = { from: snapshot.firstExposureAt, to: until };
  const arms = armsOf(experiment, periods);
  const { metrics: sums, exposures } = snapshot;
  const input = { frame, arms, sums, exposures, srmP: srm.pValue, window };
  const perMetric =
    srm.status === "halted" ? [] : experiment.config.metrics.map((metric) => metricRows(metric, input));
  const rows = correctRows(perMetric.flatMap((metric) => metric.rows));
  const health: HealthEntry[] = [
    ...runHealth(frame, snapshot, srm),
    ...perMetric.flatMap((metric) => metric.health),
    ...floorEntry(rows),
  ];
  return {
    experimentId: experiment.id,
    version: experiment.version,
    computedFor: formatRunLabel(label),
    preliminary: label.kind === "manual",
    computedAt,
    seed,
    codeVersion,
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
