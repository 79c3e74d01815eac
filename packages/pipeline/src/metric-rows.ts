import {
  type ArmExposure,
  type ArmMetric,
  DAY_MS,
  type HealthEntry,
  type MetricDefinition,
  type MetricResult,
  runSeed,
} from "@assay/domain";
import { alwaysValid, minimumDetectableEffect, type TestName, type TestOutcome } from "@assay/stats";
import { type Strata, toStrata } from "./arm-data.ts";
import { comparablePeriods } from "./comparable-periods.ts";
import { type Comparison, compareArms } from "./compare-arms.ts";
import { distributionByArm } from "./distributions.ts";
import { type ArmCounts, collectingEntry, countArms, isEligible, isUnreported } from "./eligibility.ts";
import { forecast } from "./forecast.ts";
import { degenerateEntry, fallbackEntry, leftOutEntry, unreportedEntry } from "./metric-health.ts";
import { earlierRows } from "./nights.ts";
import type { NightRow, RunFrame } from "./run-frame.ts";

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
  readonly sums: readonly ArmMetric[];
  readonly exposures: readonly ArmExposure[];
  readonly srmP: number;
  readonly window: { readonly from: number | null; readonly to: number };
}

export interface MetricRows {
  readonly rows: readonly UncorrectedRow[];
  readonly health: readonly HealthEntry[];
}

/** Computes one metric's row per treatment, or says why there is none. */
export function metricRows(metric: MetricDefinition, input: MetricRowsInput): MetricRows {
  const { label } = input.frame;
  const own = input.sums.filter((row) => row.metric === metric.name);
  const counts = countArms(own, input.arms);
  if (isUnreported(metric, own)) return { rows: [], health: [unreportedEntry(metric)] };
  if (!isEligible(counts, label)) return { rows: [], health: [collectingEntry(metric, counts, label)] };
  const distribution = distributionByArm(own, metric.kind === "binary" ? "binary" : "values");
  const [control = "", ...treatments] = input.arms;
  const perTreatment = treatments.map((treatment) => {
    const strata = strataOf(own, { control, treatment }, input.frame);
    const comparison = compare(metric, treatment, strata, input.frame);
    const parts = { metric, input, control, treatment, counts, distribution, strata };
    return {
      rows: comparison === null ? [] : [toRow({ ...parts, comparison })],
      health: [
        ...(comparison === null ? [degenerateEntry(metric, treatment)] : fallbackEntry(metric, comparison)),
        ...leftOutEntry(metric, treatment, strata),
      ],
    };
  });
  return {
    rows: perTreatment.flatMap(({ rows }) => rows),
    health: perTreatment.flatMap(({ health }) => health),
  };
}

type Pair = { readonly control: string; readonly treatment: string };

function strataOf(own: readonly ArmMetric[], pair: Pair, { periods }: RunFrame): Strata {
  const of = (arm: string) => own.filter((row) => row.arm === arm);
  const rows = { control: of(pair.control), treatment: of(pair.treatment) };
  return toStrata(rows, comparablePeriods(periods, pair));
}

function compare(
  metric: MetricDefinition,
  treatment: string,
  { strata }: Strata,
  { experiment, limits }: RunFrame,
): Comparison | null {
  const seed = runSeed(experiment.id, metric.name, String(metric.metricVersion), treatment);
  return compareArms(metric, strata, { permutations: limits.maxPermutations, seed });
}

interface RowParts extends Pair {
  readonly metric: MetricDefinition;
  readonly input: MetricRowsInput;
  readonly comparison: Comparison;
  readonly counts: readonly ArmCounts[];
  readonly strata: Strata;
  readonly distribution: MetricResult["distribution"];
}

function toRow(parts: RowParts): UncorrectedRow {
  const { metric, input, comparison, control, treatment, strata } = parts;
  const { outcome, users } = comparison;
  const { frame } = input;
  const isOfPair = (arm: string) => arm === control || arm === treatment;
  const pair = parts.counts.filter(({ arm }) => isOfPair(arm));
  const compared = pair.reduce((sum, arm) => sum + arm.users, 0) - strata.leftOutUsers;
  const used = users.control + users.treatment;
  const earlier = earlierRows(frame.nights, metric, treatment);
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
    ...sequential(outcome, used, earlier),
    mde: outcome.standardError === null ? null : minimumDetectableEffect(outcome.standardError),
    daysToGo: forecast({
      outcome,
      users: used,
      targetEffect: metric.targetEffect,
      exposures: input.exposures.filter(({ arm }) => isOfPair(arm)),
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
    distribution: Object.fromEntries(Object.entries(parts.distribution).filter(([arm]) => isOfPair(arm))),
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
