import { DAY_MS, type JudgeMark, type MetricDefinition, type MetricResult } from "@assay/domain";
import {
  type AlwaysValid,
  alwaysValid,
  alwaysValidProportions,
  minimumDetectableEffect,
  type TestName,
  usersForSkew,
} from "@assay/stats";
import type { Strata } from "../compare/arm-data.ts";
import type { Comparison } from "../compare/compare-arms.ts";
import type { ArmCounts } from "../compare/eligibility.ts";
import { nonInferiority } from "../compare/non-inferiority.ts";
import { earlierRows } from "../nights.ts";
import type { NightRow, RunFrame } from "../run-frame.ts";
import { forecast } from "./forecast.ts";
import type { MetricData } from "./metric-data.ts";

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
  /** Half the width of a symmetric interval, in standard errors. */
  readonly criticalValue: number | null;
  /**
   * The log of this run's evidence alone, whereas `pValueSeq` is the smallest over the nights; null without a
   * standard error.
   */
  readonly logEvidence: number | null;
}

/** What all rows of a run have in common. */
export interface RowContext {
  readonly frame: RunFrame;
  readonly srmP: number;
  readonly window: { readonly from: number | null; readonly to: number };
  /** Expected users of each treatment and control together; they tune the confidence sequences. */
  readonly expectedUsers: Readonly<Record<string, number>>;
}

/** A comparison of one treatment with control, and everything else that its row reports. */
export interface RowParts {
  readonly metric: MetricDefinition;
  readonly context: RowContext;
  readonly data: MetricData;
  readonly control: string;
  readonly treatment: string;
  readonly comparison: Comparison;
  /** Null when the metric is not judged. */
  readonly mark: JudgeMark | null;
  readonly counts: readonly ArmCounts[];
  readonly strata: Strata;
}

/** Builds the row of one comparison. */
export function uncorrectedRow(parts: RowParts): UncorrectedRow {
  const { metric, data, comparison, mark, control, treatment, strata } = parts;
  const { frame, srmP, window, expectedUsers } = parts.context;
  const { outcome, users } = comparison;
  const isOfPair = (arm: string) => arm === control || arm === treatment;
  const pair = parts.counts.filter(({ arm }) => isOfPair(arm));
  const compared = pair.reduce((sum, arm) => sum + arm.users, 0) - strata.leftOutUsers;
  const used = users.control + users.treatment;
  const earlier = earlierRows(frame.nights, metric, { treatment, isCalibrated: mark?.calibrated ?? false });
  const independent = comparison.clusters ?? users;
  const skewUsers = comparison.skewness === null ? null : usersForSkew(comparison.skewness, independent);
  const isSettled = skewUsers === null || Math.min(independent.control, independent.treatment) >= skewUsers;
  const look = { users: used, expectedUsers: expectedUsers[treatment] };
  const always = isSettled ? sequential(comparison, look, earlier) : NO_EVIDENCE;
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
    ...(comparison.clusters && {
      usersPerArm: { [control]: independent.control, [treatment]: independent.treatment },
    }),
    ...carryOverOf(comparison, { control, treatment }),
    nTotalPerArm: Object.fromEntries(pair.map((arm) => [arm.arm, arm.users])),
    eventsPerArm: Object.fromEntries(pair.map((arm) => [arm.arm, arm.events])),
    periods: strata.strata.length,
    srmP,
    permutationsUsed: outcome.permutationsUsed,
    sampleCapUsed: used < compared ? frame.limits.maxSamplePerArm : 0,
    windowDays: windowDays(window),
    // The analysis log keeps the data of every metric as long as the experiment exists, even after raw events are
    // removed.
    retentionTruncated: false,
    preliminary: frame.label.kind === "manual",
    distribution: Object.fromEntries(Object.entries(data.distribution).filter(([arm]) => isOfPair(arm))),
    judge: mark,
    usersForSkew: skewUsers,
    nonInferiority: nonInferiority(metric, { ...outcome, ...always, isSettled }),
  };
}

function carryOverOf(
  { carryOver = null }: Comparison,
  { control, treatment }: Pick<RowParts, "control" | "treatment">,
): Pick<MetricResult, "carryOver"> {
  if (carryOver === null) return {};
  const { units, ...found } = carryOver;
  return {
    carryOver: { ...found, nPerArm: { [control]: units.control, [treatment]: units.treatment } },
  };
}

/** Users of both arms, now and expected. */
interface UsersOfLook {
  readonly users: number;
  readonly expectedUsers: number | undefined;
}

const NO_EVIDENCE = { ciSeqLow: null, ciSeqHigh: null, pValueSeq: null, logEvidence: null };

/** The always-valid part: this run's interval, and the smallest p-value over the nights (statistics §5). */
function sequential(comparison: Comparison, look: UsersOfLook, earlier: readonly NightRow[]) {
  const now = evidenceOf(comparison, look);
  if (now === null) return NO_EVIDENCE;
  const before = earlier.flatMap(({ pValueSeq }) => pValueSeq ?? []);
  return {
    ciSeqLow: now.ciLow,
    ciSeqHigh: now.ciHigh,
    pValueSeq: Math.min(now.pValue, ...before),
    logEvidence: now.logEvidence,
  };
}

/**
 * Null when the data have no spread, or a share has too few cases for evidence that holds at any look.
 */
function evidenceOf(
  { outcome, proportions }: Comparison,
  { users, expectedUsers }: UsersOfLook,
): AlwaysValid | null {
  const { effect, standardError } = outcome;
  if (standardError === null || standardError === 0) return null;
  return proportions === null
    ? alwaysValid({ effect, standardError, n: users, expectedUsers })
    : alwaysValidProportions(proportions, expectedUsers);
}

/** From the first exposure, without which there is no row, to the cut-off; whole days at night (statistics §2). */
function windowDays({ from, to }: RowContext["window"]): number {
  const days = (to - from!) / DAY_MS;
  return to % DAY_MS === 0 ? Math.ceil(days) : days;
}
