import type { TestName } from "@assay/stats";

/**
 * Verdict of a replay on a metric:
 * `correct`: the rate of false positives is right;
 * `doubtful`: the rate is right, but the standard error is wrong or a few users weigh too much;
 * `false-alarms`, `cautious`: the rate is above or below its band;
 * `no-data`: too few users.
 */
export const REPLAY_VERDICTS = ["correct", "doubtful", "false-alarms", "cautious", "no-data"] as const;
export type ReplayVerdict = (typeof REPLAY_VERDICTS)[number];

/** Why a metric is not correct. */
export const REPLAY_CAUSES = [
  "heavy-users",
  "few-users",
  "rare-outcome",
  "ties",
  "standard-error",
  "unexplained",
] as const;
export type ReplayCause = (typeof REPLAY_CAUSES)[number];

/**
 * How often one metric shows a difference when both sides of the comparison had the control
 * variant.
 */
export interface MetricReplay {
  readonly metric: string;
  readonly metricVersion: number;
  /** Number of users of the control arm that were split. */
  readonly users: number;
  /** The test that compared the splits; null without data. */
  readonly test: TestName | null;
  /** Number of splits that the test could compare. */
  readonly splits: number;
  /**
   * Share of those splits with p < .05, and the 99% band around .05 in which it lies if the test is right. Null without
   * data.
   */
  readonly falsePositiveRate: number | null;
  readonly bandLow: number | null;
  readonly bandHigh: number | null;
  /** Mean of the control halves, in the metric's unit; null without data. */
  readonly value: number | null;
  /**
   * Standard deviation of the effects between the halves, which is the real precision. Null without
   * data.
   */
  readonly effectSd: number | null;
  /** The same by the test's formula: root mean square over the splits. Null for a test without a standard error. */
  readonly standardError: number | null;
  /** The effect that a comparison of two such halves finds with 80% power, given `effectSd`. Null without data. */
  readonly smallestEffect: number | null;
  /** The largest share of the metric's calls, or of its sum, that one user holds. Null when users count alike. */
  readonly largestUserShare: number | null;
  readonly verdict: ReplayVerdict;
  readonly causes: readonly ReplayCause[];
  /** One or two sentences: the finding, and what to do about it. */
  readonly detail: string;
}

/** An A/A test on an experiment's own traffic: its control arm, split in two at random many times. */
export interface ExperimentReplay {
  readonly experimentId: string;
  readonly version: number;
  /** The control variant. */
  readonly control: string;
  /** The replay covers events up to this instant, epoch milliseconds. */
  readonly until: number;
  readonly computedAt: number;
  /** Number of random splits per metric. */
  readonly splits: number;
  /** Maximum number of permutations per split; a night uses more. */
  readonly permutations: number;
  /** Maximum number of users per metric; larger arms are sampled evenly. */
  readonly maxUsers: number;
  readonly metrics: readonly MetricReplay[];
}
