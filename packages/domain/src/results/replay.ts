import type { TestName } from "@assay/stats";

/**
 * What a replay says of a metric. correct: neither of the following; doubtful: the rate is right, but the standard error is not,
 * or a few users weigh too much; false-alarms, cautious: the rate is above, below its band; no-data: too few users to tell.
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

/** How one metric's evidence behaves when both sides of a comparison had the control variant. */
export interface MetricReplay {
  readonly metric: string;
  readonly metricVersion: number;
  /** Users of the control arm that were split. */
  readonly users: number;
  /** The test that the splits got; null without data. */
  readonly test: TestName | null;
  /** Splits that the test could compare. */
  readonly splits: number;
  /** Share of those splits with p < .05, and the 99 % band in which it lies if the test is right. Null without data. */
  readonly falsePositiveRate: number | null;
  readonly bandLow: number | null;
  readonly bandHigh: number | null;
  /** Mean of the control halves, in the metric's unit; null without data. */
  readonly value: number | null;
  /** Standard deviation of the effects between the halves: the real precision. Null without data. */
  readonly effectSd: number | null;
  /** What the test's formula says of the same: root mean square over the splits. Null for a test without a standard error. */
  readonly standardError: number | null;
  /** The effect that a comparison of two such halves finds with 80 % power, given `effectSd`. Null without data. */
  readonly smallestEffect: number | null;
  /** The largest share of the metric's total that one user holds: of its calls, or of its sum. Null: users count alike. */
  readonly largestUserShare: number | null;
  readonly verdict: ReplayVerdict;
  readonly causes: readonly ReplayCause[];
  /** One or two sentences: what was found, and what to do. */
  readonly detail: string;
}

/** An A/A test on an experiment's own traffic: its control arm, split in two at random again and again. */
export interface ExperimentReplay {
  readonly experimentId: string;
  readonly version: number;
  /** The control variant. */
  readonly control: string;
  /** Events up to this instant are in it, epoch milliseconds. */
  readonly until: number;
  readonly computedAt: number;
  /** Random splits per metric. */
  readonly splits: number;
  /** The most permutations of a permutation test in a split; a night draws more. */
  readonly permutations: number;
  /** The most users per metric; of more, these are an even selection. */
  readonly maxUsers: number;
  readonly metrics: readonly MetricReplay[];
}
