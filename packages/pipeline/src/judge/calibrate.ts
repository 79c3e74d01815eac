import type {
  JudgeMark,
  JudgeScale,
  MetricDefinition,
  ScoredCall,
  SeriesSummary,
  UncalibratedEffect,
} from "@assay/domain";
import {
  type PpiOptions,
  type PpiOutcome,
  ppiDifference,
  retestSd,
  type ScoredUnit,
  type Stratum,
  sumOf,
  type TestOutcome,
  widenForRareLabels,
} from "@assay/stats";
import type { ArmData, PeriodStratum } from "../compare/arm-data.ts";
import type { Comparison } from "../compare/compare-arms.ts";
import { MIN_LABELS_PER_ARM } from "./agreement.ts";
import type { JudgedUser } from "./judged-users.ts";
import { weightOf } from "./quality-rows.ts";

export interface JudgedPair {
  readonly control: string;
  readonly treatment: string;
  readonly strata: readonly PeriodStratum[];
  readonly users: readonly JudgedUser[];
  readonly summary: Pick<SeriesSummary, "judgeVersion">;
  readonly scale: JudgeScale;
}

/** A judged row's comparison and the source of its scores. */
export interface JudgedComparison {
  readonly comparison: Comparison;
  readonly mark: JudgeMark;
}

/** A judged call of an arm, with its weight. */
interface WeighedCall {
  readonly user: number;
  readonly weight: number;
  readonly call: ScoredCall;
}

/**
 * Corrects a judged row by people's labels of some of its calls (PPI++), if the metric's kind and test allow it and both arms
 * have 50 labels. Otherwise the row stays the judge's opinion.
 */
export function calibrate(
  metric: MetricDefinition,
  pair: JudgedPair,
  comparison: Comparison,
): JudgedComparison {
  const arms = {
    control: weighedCalls(metric, pair, "control"),
    treatment: weighedCalls(metric, pair, "treatment"),
  };
  const isEnough = Math.min(countLabels(arms.control), countLabels(arms.treatment)) >= MIN_LABELS_PER_ARM;
  const shareUsers = pair.users.some(({ cluster }) => cluster !== undefined);
  const ppi =
    takesLabels(metric) && isEnough ? correct(arms, { shareUsers, isWithinOne: pair.scale !== "1-5" }) : null;
  const mark = markOf(pair, arms, ppi && { ppi, before: comparison.outcome });
  if (ppi === null) return { comparison, mark };
  const users = { control: usersOf(pair, "control"), treatment: usersOf(pair, "treatment") };
  const nothing = { cuped: null, shift: null, proportions: null, skewness: null };
  const counted = comparison.clusters && { clusters: comparison.clusters };
  return { comparison: { outcome: ppi, users, ...counted, ...nothing }, mark };
}

function correct(arms: Stratum<readonly WeighedCall[]>, options: Required<PpiOptions>): PpiOutcome | null {
  const units = { control: arms.control.map(toUnit), treatment: arms.treatment.map(toUnit) };
  const ppi = ppiDifference(units, options);
  return ppi && options.isWithinOne ? { ...ppi, ...widenForRareLabels(units, ppi) } : ppi;
}

function markOf(
  { control, treatment, summary, scale }: JudgedPair,
  arms: Stratum<readonly WeighedCall[]>,
  correction: { readonly ppi: PpiOutcome; readonly before: TestOutcome } | null,
): JudgeMark {
  const byArm = (of: Stratum<number>) => ({ [control]: of.control, [treatment]: of.treatment });
  const calls = [...arms.control, ...arms.treatment].map(({ call }) => call);
  return {
    version: summary.judgeVersion,
    scale,
    judgedPerArm: byArm({ control: arms.control.length, treatment: arms.treatment.length }),
    labelsPerArm: byArm({ control: countLabels(arms.control), treatment: countLabels(arms.treatment) }),
    probabilityLow: calls.reduce((low, { probability }) => Math.min(low, probability), 1),
    probabilityHigh: calls.reduce((high, { probability }) => Math.max(high, probability), 0),
    retestSd: retestSd(
      calls.flatMap(({ score, repeatScore }) => (repeatScore === null ? [] : repeatScore - score)),
    ),
    calibrated: correction !== null,
    lambda: correction && byArm(correction.ppi.lambda),
    uncalibrated: correction && uncalibrated(correction.before),
  };
}

/** Returns whether people's labels can correct a metric's rows: its value is a mean, and no other test is requested. */
export function takesLabels({
  kind,
  method,
  methodDefault,
}: Pick<MetricDefinition, "kind" | "method" | "methodDefault">): boolean {
  const asked = method ?? methodDefault;
  return (kind === "ratio" || kind === "mean") && (asked === "auto" || asked === "ppi_z");
}

/**
 * Lists an arm's judged calls with their weights: the number of calls that each stands for (for kind mean, a user's calls
 * together count once), times a factor that gives both arms the same mix of allocation periods (post-stratification).
 */
function weighedCalls(
  { kind }: Pick<MetricDefinition, "kind">,
  { strata, users, ...arms }: JudgedPair,
  side: keyof Stratum<ArmData>,
): readonly WeighedCall[] {
  const total = sumOf(strata.map(({ control, treatment }) => control.users + treatment.users));
  return strata.flatMap((stratum) => {
    const { control, treatment, periods } = stratum;
    const ofPeriod = (control.users + treatment.users) / total / stratum[side].users;
    return users.flatMap(({ arm, period, calls, cluster }, index) => {
      if (arm !== arms[side] || !periods.includes(period)) return [];
      const ofUser = kind === "mean" ? ofPeriod / sumOf(calls.map(weightOf)) : ofPeriod;
      const user = cluster ?? index;
      return calls.map((call) => ({ user, weight: ofUser * weightOf(call), call }));
    });
  });
}

function toUnit({ user, weight, call }: WeighedCall): ScoredUnit {
  return { cluster: user, weight, score: call.score, label: call.label };
}

function countLabels(calls: readonly WeighedCall[]): number {
  return calls.filter(({ call }) => call.label !== null).length;
}

function usersOf({ strata }: JudgedPair, side: keyof Stratum<ArmData>): number {
  return sumOf(strata.map((stratum) => stratum[side].users));
}

function uncalibrated(outcome: TestOutcome): UncalibratedEffect {
  const { test, pValue, controlValue, treatmentValue, effect, ciLow, ciHigh } = outcome;
  return { test, pValue, controlValue, treatmentValue, effect, ciLow, ciHigh };
}
