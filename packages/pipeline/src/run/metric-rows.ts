import {
  type ExperimentUnit,
  type HealthEntry,
  type MetricDefinition,
  needsRunEnds,
  type RunLabel,
  runSeed,
} from "@assay/domain";
import { pairStrata } from "../compare/arm-data.ts";
import { compareArms, isOneUsersQuantile } from "../compare/compare-arms.ts";
import {
  type ArmCounts,
  collectingEntry,
  countArms,
  isEligible,
  isUnreported,
} from "../compare/eligibility.ts";
import { extremeWeights, rulingEvent, takesWeights } from "../compare/event-weights.ts";
import { calibrate } from "../judge/calibrate.ts";
import type { RunFrame } from "../run-frame.ts";
import type { MetricData } from "./metric-data.ts";
import {
  carryOverEntry,
  degenerateEntry,
  dominantUserEntry,
  fallbackEntry,
  labelEntries,
  leftOutEntry,
  marginEntry,
  notJudgedEntry,
  oneUserEntry,
  planWithoutJudgeEntry,
  skewEntry,
  unreportedEntry,
} from "./metric-health.ts";
import { oneEventEntry, sampledEntry } from "./sampling-health.ts";
import { type RowContext, type RowParts, type UncorrectedRow, uncorrectedRow } from "./uncorrected-row.ts";

export interface MetricRowsInput extends RowContext {
  /** Every arm that the experiment compares, control first. */
  readonly arms: readonly string[];
}

export interface MetricRows {
  readonly rows: readonly UncorrectedRow[];
  readonly health: readonly HealthEntry[];
}

/** Computes one metric's row per treatment, or says why there is none. */
export function metricRows(metric: MetricDefinition, data: MetricData, input: MetricRowsInput): MetricRows {
  const { label, experiment } = input.frame;
  const { unit } = experiment.config;
  const counts = countArms(data.sums, input.arms);
  const locked = planWithoutJudgeEntry(metric, input.frame);
  // Without a judge no calls are drawn, so a second remark would only repeat the first.
  if (locked.length > 0 && data.judged?.summary === null) return { rows: [], health: locked };
  const missing = missingEntry(metric, data, { counts, label, unit });
  if (missing !== null) return { rows: [], health: [...locked, missing] };
  const [control = "", ...treatments] = input.arms;
  const perTreatment = treatments.map((treatment) => {
    const strata = pairStrata(data.sums, { control, treatment }, input.frame.periods);
    const compared = compareMetric(metric, data, { control, treatment, strata }, input.frame);
    if (compared === null)
      return {
        rows: [],
        health: [
          isOneUsersQuantile(metric, strata.strata)
            ? oneUserEntry(metric, treatment)
            : degenerateEntry(metric, treatment, unit),
          ...leftOutEntry(metric, treatment, { ...strata, unit }),
        ],
      };
    const row = uncorrectedRow({
      ...{ metric, context: input, data, control, treatment, counts, strata },
      ...compared,
    });
    const health = [
      ...fallbackEntry(metric, compared.comparison),
      ...leftOutEntry(metric, treatment, { ...strata, unit }),
      ...labelEntries(metric, row),
      ...marginEntry(metric, row),
      ...skewEntry(metric, row),
      ...carryOverEntry(metric.name, row),
      ...dominantUserEntry(metric, treatment, compared.comparison),
    ];
    return { rows: [row], health };
  });
  return {
    rows: perTreatment.flatMap(({ rows }) => rows),
    health: [...locked, ...perTreatment.flatMap(({ health }) => health)],
  };
}

/** Returns why a metric has no rows at all; null when it may have rows. */
function missingEntry(
  metric: MetricDefinition,
  data: MetricData,
  {
    counts,
    label,
    unit,
  }: {
    readonly counts: readonly ArmCounts[];
    readonly label: RunLabel;
    readonly unit: ExperimentUnit;
  },
): HealthEntry | null {
  const { name, source, acceptFrom } = metric;
  const { sums, judged } = data;
  if (source.event !== "judge" && (isUnreported(metric, sums) || lacksRunEnds(metric, data)))
    return unreportedEntry({ name, acceptFrom }, source, unit);
  if (judged !== null && sums.length === 0) return notJudgedEntry(metric, judged.summary, unit);
  if (!takesWeights(metric, sums)) return sampledEntry(metric, extremeWeights(sums), unit);
  if (!isEligible(counts, label)) return collectingEntry(metric, counts, { label, unit });
  const ruling = rulingEvent(sums);
  return ruling && oneEventEntry(metric, ruling);
}

/** Returns whether the metric needs ends of runs but no exposed user has one. */
function lacksRunEnds(metric: MetricDefinition, { sums, exposures }: MetricData): boolean {
  return needsRunEnds(metric) && sums.length === 0 && exposures.length > 0;
}

/** Compares two arms as for a row, using people's labels if there are any; null if the data allow no test. */
export function compareMetric(
  metric: MetricDefinition,
  { judged }: Pick<MetricData, "judged">,
  pair: Pick<RowParts, "control" | "treatment" | "strata">,
  { experiment, limits }: Pick<RunFrame, "experiment" | "limits">,
): Pick<RowParts, "comparison" | "mark"> | null {
  const { control, treatment } = pair;
  const { strata } = pair.strata;
  const seed = runSeed(experiment.id, metric.name, String(metric.metricVersion), treatment);
  const options = { permutations: limits.maxPermutations, seed, isComplete: metric.margin !== null };
  const comparison = compareArms(metric, strata, options);
  if (comparison === null) return null;
  if (judged === null || judged.summary === null || metric.judge === null) return { comparison, mark: null };
  const { summary, users } = judged;
  return calibrate(
    metric,
    { control, treatment, strata, users, summary, scale: metric.judge.scale },
    comparison,
  );
}
