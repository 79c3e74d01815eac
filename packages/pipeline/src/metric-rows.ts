import {
  type ArmMetric,
  DAY_MS,
  type Experiment,
  type HealthEntry,
  type MetricDefinition,
  type MetricResult,
  type RunLabel,
} from "@assay/domain";
import { alwaysValid, minimumDetectableEffect, type TestOutcome } from "@assay/stats";
import { compareArms } from "./compare-arms.ts";
import { distributionByArm } from "./distributions.ts";
import { collectingEntry, countArms, isEligible } from "./eligibility.ts";

/** A row before the correction over the run's whole family. */
export type UncorrectedRow = Omit<MetricResult, "pValueFdr" | "significant" | "verdict">;

export interface MetricRowsInput {
  readonly experiment: Experiment;
  readonly label: RunLabel;
  /** Control first; every arm that the experiment compares. */
  readonly arms: readonly string[];
  readonly sums: readonly ArmMetric[];
  readonly srmP: number;
  readonly window: { readonly from: number | null; readonly to: number };
}

export interface MetricRows {
  readonly rows: readonly UncorrectedRow[];
  readonly health: readonly HealthEntry[];
}

/** Computes one metric's row per treatment, or says why there is none. */
export function metricRows(metric: MetricDefinition, input: MetricRowsInput): MetricRows {
  const own = input.sums.filter((row) => row.metric === metric.name);
  const counts = countArms(own, input.arms);
  if (!isEligible(counts, input.label))
    return { rows: [], health: [collectingEntry(metric, counts, input.label)] };
  const distribution = distributionByArm(own, metric.kind === "binary" ? "binary" : "values");
  const [control, ...treatments] = input.arms;
  const of = (arm: string | undefined) => own.filter((row) => row.arm === arm);
  const rows = treatments.flatMap((treatment) => {
    const outcome = compareArms(metric, of(control), of(treatment));
    return outcome === null || control === undefined
      ? []
      : [toRow({ metric, input, outcome, control, treatment, counts, distribution })];
  });
  const health = rows.length === treatments.length ? [] : [degenerateEntry(metric)];
  return { rows, health: [...health, ...fallbackEntries(metric, rows)] };
}

interface RowParts {
  readonly metric: MetricDefinition;
  readonly input: MetricRowsInput;
  readonly outcome: TestOutcome;
  readonly control: string;
  readonly treatment: string;
  readonly counts: ReturnType<typeof countArms>;
  readonly distribution: MetricResult["distribution"];
}

function toRow({
  metric,
  input,
  outcome,
  control,
  treatment,
  counts,
  distribution,
}: RowParts): UncorrectedRow {
  const pair = counts.filter(({ arm }) => arm === control || arm === treatment);
  const users = pair.reduce((sum, arm) => sum + arm.users, 0);
  const se = outcome.standardError;
  const valid =
    se === null || se === 0 ? null : alwaysValid({ effect: outcome.effect, standardError: se, n: users });
  return {
    metric: metric.name,
    metricVersion: metric.metricVersion,
    treatment,
    control,
    role: metric.role,
    desired: metric.desired,
    test: outcome.test,
    statistic: outcome.statistic,
    pValue: outcome.pValue,
    controlValue: outcome.controlValue,
    treatmentValue: outcome.treatmentValue,
    effect: outcome.effect,
    ciLow: outcome.ciLow,
    ciHigh: outcome.ciHigh,
    relativeEffect: outcome.relative.effect,
    relativeCiLow: outcome.relative.ciLow,
    relativeCiHigh: outcome.relative.ciHigh,
    ciSeqLow: valid?.ciLow ?? null,
    ciSeqHigh: valid?.ciHigh ?? null,
    pValueSeq: valid?.pValue ?? null,
    mde: se === null ? null : minimumDetectableEffect(se),
    nPerArm: Object.fromEntries(pair.map((arm) => [arm.arm, arm.users])),
    eventsPerArm: Object.fromEntries(pair.map((arm) => [arm.arm, arm.events])),
    srmP: input.srmP,
    permutationsUsed: 0,
    sampleCapUsed: 0,
    windowDays: windowDays(input.window),
    retentionTruncated: false,
    preliminary: input.label.kind === "manual",
    distribution: Object.fromEntries(
      Object.entries(distribution).filter(([arm]) => arm === control || arm === treatment),
    ),
  };
}

/** From the first exposure to the cut-off; whole days at night (statistics §2). */
function windowDays({ from, to }: MetricRowsInput["window"]): number {
  if (from === null) return 0;
  return to % DAY_MS === 0 ? Math.ceil((to - from) / DAY_MS) : (to - from) / DAY_MS;
}

function degenerateEntry({ name }: MetricDefinition): HealthEntry {
  return {
    code: "metric-degenerate",
    severity: "warning",
    detail: `${name} cannot be compared: its values are too large for a number, or an arm has none.`,
  };
}

/** Says so when another test ran than the one asked for. */
function fallbackEntries(
  { name, method, methodDefault }: MetricDefinition,
  rows: readonly UncorrectedRow[],
): readonly HealthEntry[] {
  const asked = method ?? methodDefault;
  const ran = rows[0]?.test;
  if (asked === "auto" || ran === undefined || ran === asked) return [];
  return [
    {
      code: "method-fallback",
      severity: "warning",
      detail: `${name} asks for ${asked}, which this version does not have: ${ran} ran instead.`,
    },
  ];
}
