import type { Direction, MetricRole } from "../experiment/metric.ts";
import type { JudgeScale } from "../judge/judge.ts";
import type { Day } from "../time/day.ts";
import type { DecisionStatus } from "./decision-status.ts";
import type { CheckCode } from "./health-check.ts";

/** Per-arm histogram over shared bin edges: `counts[i]` lies between `edges[i]` and `edges[i + 1]`. */
export interface Distribution {
  readonly binEdges: readonly number[];
  readonly counts: readonly number[];
}

export type Verdict = "better" | "worse" | "inconclusive";

/** Variance explained by the users' values from before their first exposure (CUPED). */
export interface CovariateAdjustment {
  readonly theta: number;
  /** Share of users with such values. */
  readonly coverage: number;
  /** 1 − adjusted variance / variance. */
  readonly varianceReduction: number;
}

/**
 * Days until an effect of the metric's `targetEffect` would be found with 80% power, given the traffic and spread so
 * far.
 */
export interface DaysToGo {
  /** In the metric's unit. */
  readonly targetEffect: number;
  /** Null when it takes more than ten years. */
  readonly days: number | null;
  /** The same for the upper and the lower quartile of recent daily traffic. */
  readonly daysLow: number | null;
  readonly daysHigh: number | null;
}

/** The row without people's labels: the judge's opinion. */
export interface UncalibratedEffect {
  readonly test: string;
  readonly pValue: number;
  readonly controlValue: number;
  readonly treatmentValue: number;
  readonly effect: number;
  readonly ciLow: number | null;
  readonly ciHigh: number | null;
}

/** Source of a judged row's scores, and whether people's labels correct them (statistics §8). */
export interface JudgeMark {
  readonly version: string;
  readonly scale: JudgeScale;
  /** Numbers of judged calls, and of labeled calls among them, per arm. */
  readonly judgedPerArm: Readonly<Record<string, number>>;
  readonly labelsPerArm: Readonly<Record<string, number>>;
  /** Smallest and largest probability with which a judged call was drawn. */
  readonly probabilityLow: number;
  readonly probabilityHigh: number;
  /**
   * Standard deviation between two judgements of the same answer, in the metric's unit; null when fewer than two
   * answers were judged twice.
   */
  readonly retestSd: number | null;
  /** Whether labels correct the row (PPI++); otherwise it is the judge's opinion. */
  readonly calibrated: boolean;
  /**
   * Weight of the judge's scores relative to the labels, 0 to 1, per arm; null when the row is not calibrated.
   */
  readonly lambda: Readonly<Record<string, number>> | null;
  /** The row before calibration; null when it is not calibrated. */
  readonly uncalibrated: UncalibratedEffect | null;
}

/** Whether a treatment loses more than the metric's margin allows; one-sided, at 2.5%. */
export interface NonInferiority {
  /** Largest acceptable loss, in the metric's unit. */
  readonly margin: number;
  /**
   * The largest loss inside the 95% interval; below 0 when even the worst end is a gain. Null without an interval.
   */
  readonly worstLoss: number | null;
  readonly isNotWorse: boolean;
  /** The same by the confidence sequence, which holds at any look. */
  readonly isNotWorseSeq: boolean;
}

/** A treatment that is significantly cheaper and, on every metric with a margin, not worse by more than that. */
export interface Tradeoff {
  readonly treatment: string;
  readonly verdict: "cheaper-and-not-worse";
  /** Money saved, as a positive number, with its 95% interval. */
  readonly saving: {
    readonly metric: string;
    readonly usdPer1000Users: number;
    readonly ciLow: number;
    readonly ciHigh: number;
    readonly relativeEffect: number | null;
    readonly relativeCiLow: number | null;
    readonly relativeCiHigh: number | null;
  };
  readonly notWorse: readonly {
    readonly metric: string;
    readonly margin: number;
    readonly worstLoss: number;
    /** Whether the metric's row rests on the judge alone. */
    readonly isJudgeOpinion: boolean;
  }[];
  /** Whether the verdict holds at any look, or the planned precision is reached. */
  readonly isSettled: boolean;
}

/** The effect in each user's first unit, which no earlier unit can influence, and tests whether later units differ. */
export interface CarryOver {
  readonly effect: number;
  readonly ciLow: number;
  readonly ciHigh: number;
  /** First units per arm. */
  readonly nPerArm: Readonly<Record<string, number>>;
  /** p-value of the test that the effect in first units equals the effect in all units. */
  readonly pValue: number;
  /** How later units differ by the variant of the user's previous unit: treatment − control. */
  readonly earlierEffect: number;
  readonly earlierPValue: number;
}

/** One metric of one treatment against control (spec §2 MetricResult, contract §9). */
export interface MetricResult {
  readonly metric: string;
  readonly metricVersion: number;
  readonly treatment: string;
  readonly control: string;
  readonly role: MetricRole;
  readonly desired: Direction;
  /** The test that ran. */
  readonly test: string;
  readonly statistic: number | null;
  readonly pValue: number;
  readonly pValueFdr: number;
  /**
   * Whether the p-value is the smallest possible for this number of permutations; the true one may be
   * smaller.
   */
  readonly pFloor: boolean;
  readonly significant: boolean;
  readonly verdict: Verdict;
  readonly controlValue: number;
  readonly treatmentValue: number;
  /** Treatment minus control, in the metric's unit, with its 95% interval. */
  readonly effect: number;
  readonly ciLow: number | null;
  readonly ciHigh: number | null;
  readonly standardError: number | null;
  /** The interval adjusted for selecting the run's significant rows; null for all other rows. */
  readonly ciSelectedLow: number | null;
  readonly ciSelectedHigh: number | null;
  readonly relativeEffect: number | null;
  readonly relativeCiLow: number | null;
  readonly relativeCiHigh: number | null;
  readonly ciSeqLow: number | null;
  readonly ciSeqHigh: number | null;
  /** Always valid: the smallest over the nights so far. */
  readonly pValueSeq: number | null;
  /** `pValueSeq` of this run, corrected over the run's rows (e-BH). */
  readonly pValueSeqFdr: number | null;
  /** Smallest effect that this much data detects with 80% power. */
  readonly mde: number | null;
  /** The same under a Bonferroni correction over the run's rows. */
  readonly mdeCorrected: number | null;
  readonly daysToGo: DaysToGo | null;
  /**
   * Number of users that every arm needs before one-sided and always-valid claims are made: 355 times the squared skewness
   * of the users' values. Null for other kinds of effect; absent in runs from before it existed.
   */
  readonly usersForSkew?: number | null;
  /** Null when no row of the metric was adjusted. */
  readonly cuped: CovariateAdjustment | null;
  /** Hodges–Lehmann shift of mann_whitney_u in the metric's unit; null for other tests. */
  readonly shift: number | null;
  /** Number of users analyzed. */
  readonly nPerArm: Readonly<Record<string, number>>;
  /** Number of users whose units were analyzed. Only if the unit is not the user; all other counts are then units. */
  readonly usersPerArm?: Readonly<Record<string, number>>;
  /** How users' earlier units influence later ones; absent if the unit is the user, or too few users have two units. */
  readonly carryOver?: CarryOver;
  /**
   * Number of users with the metric; more than `nPerArm` only when the run analyzed a sample or left out an allocation
   * period.
   */
  readonly nTotalPerArm: Readonly<Record<string, number>>;
  /** Number of allocation periods within which the arms were compared. */
  readonly periods: number;
  readonly eventsPerArm: Readonly<Record<string, number>>;
  readonly srmP: number;
  readonly permutationsUsed: number;
  readonly sampleCapUsed: number;
  readonly windowDays: number;
  readonly retentionTruncated: boolean;
  readonly preliminary: boolean;
  readonly distribution: Readonly<Record<string, Distribution>>;
  /** Null without judged metrics. */
  readonly judge: JudgeMark | null;
  /** Null when the metric has no margin. */
  readonly nonInferiority: NonInferiority | null;
}

/** Result of the gate on the traffic split (spec §1.5). */
export interface SrmGate {
  readonly status: "passed" | "halted";
  readonly pValue: number;
  /** Always valid, even if checked every day; it does not decide. */
  readonly pValueSeq: number;
  readonly threshold: number;
  readonly observed: Readonly<Record<string, number>>;
  /** Expected share per arm, over all allocation periods. */
  readonly expected: Readonly<Record<string, number>>;
}

/** The checks that withhold a run's rows. */
export const WITHHOLDING_CHECKS = ["srm", "lost-traces"] as const satisfies readonly CheckCode[];
export type WithholdingCheck = (typeof WITHHOLDING_CHECKS)[number];

/** The prices that a run used for calls without a cost. */
export interface PriceListMark {
  readonly asOf: Day;
  /** `priceFingerprint` of the list. */
  readonly fingerprint: string;
}

/** A remark on a run that a reader must know before deciding. */
export interface HealthEntry {
  readonly code: string;
  readonly severity: "info" | "warning" | "critical";
  readonly detail: string;
}

/** The stored result of a run; immutable. Instants in epoch milliseconds. */
export interface ExperimentResults {
  readonly experimentId: string;
  readonly version: number;
  readonly computedFor: string;
  readonly preliminary: boolean;
  readonly computedAt: number;
  /** Seed of every random draw in the run. */
  readonly seed: number;
  readonly codeVersion: string;
  readonly priceList: PriceListMark;
  readonly window: { readonly from: number | null; readonly to: number };
  readonly srm: SrmGate;
  /** The check that withholds the rows; null when they are shown. */
  readonly withheldBy: WithholdingCheck | null;
  readonly results: Readonly<Record<string, MetricResult>>;
  readonly tradeoffs: readonly Tradeoff[];
  /** Null when nobody is exposed yet, or the rows are withheld. */
  readonly decision: DecisionStatus | null;
  readonly health: readonly HealthEntry[];
  /** Number of the last exclusion or lift that the run took into account; 0 when there was none. */
  readonly exclusions: number;
}
