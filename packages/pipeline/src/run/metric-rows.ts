import {
  DAY_MS,
  type HealthEntry,
  type JudgeMark,
  type MetricDefinition,
  type MetricResult,
  type RunLabel,
  runSeed,
} from "@assay/domain";
import { alwaysValid, minimumDetectableEffect, type TestName, type TestOutcome } from "@assay/stats";
import { pairStrata, type Strata } from "../compare/arm-data.ts";
import { type Comparison, compareArms } from "../compare/compare-arms.ts";
import {
  type ArmCounts,
  collectingEntry,
  countArms,
  isEligible,
  isUnreported,
} from "../compare/eligibility.ts";
import { nonInferiority } from "../compare/non-inferiority.ts";
import { calibrate } from "../judge/calibrate.ts";
import type { NightRow, RunFrame } from "../run-frame.ts";
import { forecast } from "./forecast.ts";
import type { MetricData } from "./metric-data.ts";
import {
  degenerateEntry,
  fallbackEntry,
  labelEntries,
  leftOutEntry,
  marginEntry,
  notJudgedEntry,
  unreportedEntry,
} from "./metric-health.ts";
import { earlierRows } from "./nights.ts";

/** A row before the correction over the run's whole family. */
export interface UncorrectedRow
  extends Omit<
    MetricResult,
    | "test"
    | "pValueFdr"
    | "significant"
    | "verdict"
    | "ciSelectedLow"
    | "ciSelectedHigh"
    | "pValueSeqFdr"
    | "mdeCorrected"
  > {
  readonly test: TestName;
  /** Half the width of a symmetric interval in standard errors. */
  readonly criticalValue: number | null;
  /** Of this run alone, while `pValueSeq` is the smallest over the nights; null: it has no standard error. */
  readonly logEvidence: number | null;
}

export interface MetricRowsInput {
  readonly frame: RunFrame;
  /** Control first; every arm that the experiment compares. */
  readonly arms: readonly string[];
  readonly srmP: number;
  readonly window: { readonly from: number | null; readonly to: number };
}

export interface MetricRows {
  readonly rows: readonly UncorrectedRow[];
  readonly health: readonly HealthEntry[];
}

/** Computes one metric's row per treatment, or says why there is none. */
export function metricRows(metric: MetricDefinition, data: MetricData, input: MetricRowsInput): MetricRows {
  const { label } = input.frame;
  const counts = countArms(data.sums, input.arms);
  const missing = missingEntry(metric, data, { counts, label });
  if (missing !== null) return { rows: [], health: [missing] };
  const [control = "", ...treatments] = input.arms;
  const perTreatment = treatments.map((treatment) => {
    const strata = pairStrata(data.sums, { control, treatment }, input.frame.periods);
    const compared = compare(metric, data, { control, treatment, strata, input });
    if (compared === null)
      return {
        rows: [],
        health: [degenerateEntry(metric, treatment), ...leftOutEntry(metric, treatment, strata)],
      };
    const row = toRow({ metric, data, input, control, treatment, counts, strata, ...compared });
    const health = [
      ...fallbackEntry(metric, compared.comparison),
      ...leftOutEntry(metric, treatment, strata),
      ...labelEntries(metric, row),
      ...marginEntry(metric, row),
    ];
    return { rows: [row], health };
  });
  return {
    rows: perTreatment.flatMap(({ rows }) => rows),
    health: perTreatment.flatMap(({ health }) => health),
  };
}

/** Says why a metric has no rows at all; null when it may have. */
function missingEntry(
  metric: MetricDefinition,
  { sums, judged }: MetricData,
  { counts, label }: { readonly counts: readonly ArmCounts[]; readonly label: RunLabel },
): HealthEntry | null {
  if (judged === null && isUnreported(metric, sums)) return unreportedEntry(metric);
  if (judged !== null && sums.length === 0) return notJudgedEntry(metric, judged.summary);
  return isEligible(counts, label) ? null : collectingEntry(metric, counts, label);
}

type Pair = { readonly control: string; readonly treatment: string };

interface Compared {
  readonly comparison: Comparison;
  /** Null: no judged metric. */
  readonly mark: JudgeMark | null;
}

function compare(
  metric: MetricDefinition,
  { judged }: MetricData,
  { control, treatment, strata: { strata }, input }: Pair & Pick<RowParts, "strata" | "input">,
): Compared | null {
  const { experiment, limits } = input.frame;
  const seed = runSeed(experiment.id, metric.name, String(metric.metricVersion), treatment);
  const comparison = compareArms(metric, strata, { permutations: limits.maxPermutations, seed });
  if (comparison === null) return null;
  if (judged === null || judged.summary === null || metric.judge === null) return { comparison, mark: null };
  const { summary, users } = judged;
  return calibrate(
    metric,
    { control, treatment, strata, users, summary, scale: metric.judge.scale },
    comparison,
  );
}

interface RowParts extends Pair {
  readonly metric: MetricDefinition;
  readonly input: MetricRowsInput;
  readonly data: MetricData;
  readonly comparison: Comparison;
  readonly mark: JudgeMark | null;
  readonly counts: readonly ArmCounts[];
  readonly strata: Strata;
}

function toRow(parts: RowParts): UncorrectedRow {
  const { metric, data, input, comparison, mark, control, treatment, strata } = parts;
  const { outcome, users } = comparison;
  const { frame } = input;
  const isOfPair = (arm: string) => arm === control || arm === treatment;
  const pair = parts.counts.filter(({ arm }) => isOfPair(arm));
  const compared = pair.reduce((sum, arm) => sum + arm.users, 0) - strata.leftOutUsers;
  const used = users.control + users.treatment;
  const earlier = earlierRows(frame.nights, metric, { treatment, isCalibrated: mark?.calibrated ?? false });
  const always = sequential(outcome, used, earlier);
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
    pFloor: outcome.isAtFloor,
    controlValue: outcome.controlValue,
    treatmentValue: outcome.treatmentValue,
    effect: outcome.effect,
    ciLow: outcome.ciLow,
    ciHigh: outcome.ciHigh,
    standardError: outcome.standardError,
    criticalValue: outcome.criticalValue,
    relativeEffect: outcome.relative.effect,
    relativeCiLow: outcome.relative.ciLow,
    relativeCiHigh: outcome.relative.ciHigh,
    ...always,
    mde: outcome.standardError === null ? null : minimumDetectableEffect(outcome.standardError),
    daysToGo: forecast({
      outcome,
      users: used,
      targetEffect: metric.targetEffect,
      exposures: data.exposures.filter(({ arm }) => isOfPair(arm)),
      until: frame.until,
      earlier,
    }),
    cuped: comparison.cuped,
    shift: comparison.shift,
    nPerArm: { [control]: users.control, [treatment]: users.treatment },
    nTotalPerArm: Object.fromEntries(pair.map((arm) => [arm.arm, arm.users])),
    eventsPerArm: Object.fromEntries(pair.map((arm) => [arm.arm, arm.events])),
    periods: strata.strata.length,
    srmP: input.srmP,
    permutationsUsed: outcome.permutationsUsed,
    sampleCapUsed: used < compared ? frame.limits.maxSamplePerArm : 0,
    windowDays: windowDays(input.window),
    // The analysis log keeps what every metric reads for as long as the experiment lives, whatever becomes of the raw events.
    retentionTruncated: false,
    preliminary: frame.label.kind === "manual",
    distribution: Object.fromEntries(Object.entries(data.distribution).filter(([arm]) => isOfPair(arm))),
    judge: mark,
    nonInferiority: nonInferiority(metric, { ...outcome, ...always }),
  };
}

/** The always-valid part: this run's interval, and the smallest p-value over the nights (statistics §5). */
function sequential({ effect, standardError }: TestOutcome, users: number, earlier: readonly NightRow[]) {
  if (standardError === null || standardError === 0)
    return { ciSeqLow: null, ciSeqHigh: null, pValueSeq: null, logEvidence: null };
  const now = alwaysValid({ effect, standardError, n: users });
  const before = earlier.flatMap(({ pValueSeq }) => pValueSeq ?? []);
  return {
    ciSeqLow: now.ciLow,
    ciSeqHigh: now.ciHigh,
    pValueSeq: Math.min(now.pValue, ...before),
    logEvidence: now.logEvidence,
  };
}

/** From the first exposure to the cut-off; whole days at night (statistics §2). */
function windowDays({ from, to }: MetricRowsInput["window"]): number {
  if (from === null) return 0;
  return to % DAY_MS === 0 ? Math.ceil((to - from) / DAY_MS) : (to - from) / DAY_MS;
}
