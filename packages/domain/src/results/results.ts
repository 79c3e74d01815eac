import type { Direction, MetricRole } from "../experiment/metric.ts";
import type { JudgeScale } from "../judge/judge.ts";
import type { Day } from "../time/day.ts";
import type { DecisionStatus } from "./decision-status.ts";

/** Per-arm histogram over bin edges that all arms share: `counts[i]` lies between `edges[i]` and `edges[i + 1]`. */
export interface Distribution {
  readonly binEdges: readonly number[];
  readonly counts: readonly number[];
}

export type Verdict = "better" | "worse" | "inconclusive";

/** Variance removed by what users did before their first exposure (CUPED). */
export interface CovariateAdjustment {
  readonly theta: number;
  /** Share of users with data from before. */
  readonly coverage: number;
  /** 1 − adjusted variance / variance. */
  readonly varianceReduction: number;
}

/** How long until an effect of the metric's `targetEffect` would be found with 80 % power, from the traffic and spread so far. */
export interface DaysToGo {
  /** In the metric's unit. */
  readonly targetEffect: number;
  /** Null: not within ten years. */
  readonly days: number | null;
  /** The same with the upper and the lower quartile of the last days' traffic. */
  readonly daysLow: number | null;
  readonly daysHigh: number | null;
}

/** What a row is without the labels of people: the judge's opinion. */
export interface UncalibratedEffect {
  readonly test: string;
  readonly pValue: number;
  readonly controlValue: number;
  readonly treatmentValue: number;
  readonly effect: number;
  readonly ciLow: number | null;
  readonly ciHigh: number | null;
}

/** Where the scores of a judged row come from, and whether people's labels correct them (statistics §8). */
export interface JudgeMark {
  readonly version: string;
  readonly scale: JudgeScale;
  /** Judged calls, and labelled ones among them, per arm. */
  readonly judgedPerArm: Readonly<Record<string, number>>;
  readonly labelsPerArm: Readonly<Record<string, number>>;
  /** Smallest and largest probability with which a judged call was drawn. */
  readonly probabilityLow: number;
  readonly probabilityHigh: number;
  /** Standard deviation between two judgements of the same answer, in the metric's unit; null: fewer than two were judged twice. */
  readonly retestSd: number | null;
  /** Whether labels correct the row (PPI++); else it is the judge's opinion. */
  readonly calibrated: boolean;
  /** How much weight the judge's scores have beside the labels, 0 to 1, per arm; null: not calibrated. */
  readonly lambda: Readonly<Record<string, number>> | null;
  /** The row before it was calibrated; null: it is not. */
  readonly uncalibrated: UncalibratedEffect | null;
}

/** Whether a treatment loses more than the metric's margin allows; one-sided, at 2.5 %. */
export interface NonInferiority {
  /** Largest acceptable loss, in the metric's unit. */
  readonly margin: number;
  /** The loss that the 95 % interval does not exclude; below 0: even the worst end is a gain. Null: no interval. */
  readonly worstLoss: number | null;
  readonly isNotWorse: boolean;
  /** The same by the confidence sequence: holds however often one looks. */
  readonly isNotWorseSeq: boolean;
}

/** A treatment that is significantly cheaper and, on every metric with a margin, not worse by more than that. */
export interface Tradeoff {
  readonly treatment: string;
  readonly verdict: "cheaper-and-not-worse";
  /** Money saved, positive, with its 95 % interval. */
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
    /** The metric's row rests on the judge alone. */
    readonly isJudgeOpinion: boolean;
  }[];
  /** Whether the verdict holds however often one looks, or the planned precision is there. */
  readonly isSettled: boolean;
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
  /** The p-value is the smallest that its number of permutations allows: the true one may be smaller. */
  readonly pFloor: boolean;
  readonly significant: boolean;
  readonly verdict: Verdict;
  readonly controlValue: number;
  readonly treatmentValue: number;
  /** Treatment minus control, in the metric's unit, with its 95 % interval. */
  readonly effect: number;
  readonly ciLow: number | null;
  readonly ciHigh: number | null;
  readonly standardError: number | null;
  /** The interval at the level that holds on average over the significant rows of the run; null for all other rows. */
  readonly ciSelectedLow: number | null;
  readonly ciSelectedHigh: number | null;
  readonly relativeEffect: number | null;
  readonly relativeCiLow: number | null;
  readonly relativeCiHigh: number | null;
  readonly ciSeqLow: number | null;
  readonly ciSeqHigh: number | null;
  /** Always valid: the smallest over the nights so far, whenever one looks. */
  readonly pValueSeq: number | null;
  /** `pValueSeq` of this run corrected over the run's rows (e-BH). */
  readonly pValueSeqFdr: number | null;
  /** Smallest effect that this much data detects with 80 % power. */
  readonly mde: number | null;
  /** The same when every row of the run must stand the correction alone (Bonferroni). */
  readonly mdeCorrected: number | null;
  readonly daysToGo: DaysToGo | null;
  /**
   * Users that every arm needs before one-sided and always-valid claims are made: 355 times the squared skewness of the users'
   * values. Null: of another kind of effect; absent in runs stored before it existed.
   */
  readonly usersForSkew?: number | null;
  /** Null when no row of the metric was adjusted. */
  readonly cuped: CovariateAdjustment | null;
  /** Hodges–Lehmann shift of mann_whitney_u in the metric's unit; null for other tests. */
  readonly shift: number | null;
  /** Users analysed. */
  readonly nPerArm: Readonly<Record<string, number>>;
  /** Users that have the metric; more than `nPerArm` only when a sample was analysed or an allocation period left out. */
  readonly nTotalPerArm: Readonly<Record<string, number>>;
  /** Allocation periods within which the arms were compared. */
  readonly periods: number;
  readonly eventsPerArm: Readonly<Record<string, number>>;
  readonly srmP: number;
  readonly permutationsUsed: number;
  readonly sampleCapUsed: number;
  readonly windowDays: number;
  readonly retentionTruncated: boolean;
  readonly preliminary: boolean;
  readonly distribution: Readonly<Record<string, Distribution>>;
  /** Null: no judged metric. */
  readonly judge: JudgeMark | null;
  /** Null: the metric has no margin. */
  readonly nonInferiority: NonInferiority | null;
}

/** The gate on the traffic split (spec §1.5). */
export interface SrmGate {
  readonly status: "passed" | "halted";
  readonly pValue: number;
  /** Always valid, even when looked at every day; it does not decide. */
  readonly pValueSeq: number;
  readonly threshold: number;
  readonly observed: Readonly<Record<string, number>>;
  /** Expected share per arm, over all allocation periods. */
  readonly expected: Readonly<Record<string, number>>;
}

/** Which prices a run gave to calls that carry no cost. */
export interface PriceListMark {
  readonly asOf: Day;
  /** `priceFingerprint` of the list. */
  readonly fingerprint: string;
}

/** A remark on a run: something a reader must know before deciding. */
export interface HealthEntry {
  readonly code: string;
  readonly severity: "info" | "warning" | "critical";
  readonly detail: string;
}

/** What a run stores: immutable once written. Instants in epoch milliseconds. */
export interface ExperimentResults {
  readonly experimentId: string;
  readonly version: number;
  readonly computedFor: string;
  readonly preliminary: boolean;
  readonly computedAt: number;
  /** Of every random draw in the run. */
  readonly seed: number;
  readonly codeVersion: string;
  readonly priceList: PriceListMark;
  readonly window: { readonly from: number | null; readonly to: number };
  readonly srm: SrmGate;
  readonly results: Readonly<Record<string, MetricResult>>;
  readonly tradeoffs: readonly Tradeoff[];
  /** Null: nobody is exposed yet, or the traffic split withholds the rows. */
  readonly decision: DecisionStatus | null;
  readonly health: readonly HealthEntry[];
  /** Number of the last exclusion or lift that the run saw; 0: none. */
  readonly exclusions: number;
}
