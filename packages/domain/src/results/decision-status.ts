import type { Looks } from "../experiment/decision-plan.ts";
import type { Day } from "../time/day.ts";

/** Where the decision stands, by the experiment's plan. */
export const DECISION_STATES = [
  "running",
  "winning",
  "better-guardrail-open",
  "mixed",
  "ready-to-decide",
  "no-difference",
  "losing",
  "guardrail-failing",
] as const;
export type DecisionState = (typeof DECISION_STATES)[number];

/** What a row can show: that the treatment is better, or that it is not worse by more than the margin. */
export const CLAIM_KINDS = ["better", "not-worse"] as const;
export type ClaimKind = (typeof CLAIM_KINDS)[number];

export interface RowKey {
  readonly metric: string;
  readonly treatment: string;
}

/** A row's evidence for one claim that the plan requires. */
export interface Claim extends RowKey {
  readonly kind: ClaimKind;
  /** A new version of the metric starts a new series of looks. */
  readonly metricVersion: number;
  /** Whether people's labels correct the row. Looks at the judge's opinion alone do not count. */
  readonly isCalibrated: boolean;
  /** Evidence for the claim as a standard normal deviate; null when the row allows no claim. */
  readonly z: number | null;
  /** Shares of the planned information at the looks so far, 0 to 1, ascending. */
  readonly fractions: readonly number[];
  /**
   * The value that `z` must reach at the last look; null before the first look, or when no look can
   * decide so early.
   */
  readonly boundary: number | null;
  /**
   * Probability of meeting the claim by the end if the target effect is true; null when met, final, or not
   * needed.
   */
  readonly conditionalPower: number | null;
  /** The futility boundary is crossed: the target effect has become unlikely. */
  readonly isUnlikely: boolean;
  /** The night on which the claim was met; null when it is not met. */
  readonly metOn: Day | null;
  /** The row's numbers at the last look. */
  readonly effect: number;
  readonly ciLow: number | null;
  readonly ciHigh: number | null;
  readonly pValue: number;
}

/** A margin that is still open, and what would settle it at the traffic so far. */
export interface OpenMargin extends RowKey {
  /** More days; null when unknown or more than ten years. */
  readonly days: number | null;
  /** More labels, where the number of labels limits the row; otherwise null. */
  readonly labels: number | null;
}

/** A change of the plan after the first exposure. */
export interface PlanChange {
  readonly at: number;
  readonly reason: string;
}

/** What the plan concludes from a run. Instants in epoch milliseconds. */
export interface DecisionStatus {
  readonly state: DecisionState;
  /** The treatment that the state refers to; null when all treatments are alike. */
  readonly treatment: string | null;
  readonly looks: Looks;
  /** Number of looks so far. */
  readonly look: number;
  /** Share of the planned information, 0 to 1, of the primary row that is furthest behind. */
  readonly information: number;
  /** The boundary of the primary row with the strongest evidence; null before the first look. */
  readonly boundary: number | null;
  /** From the decision look if there was one, otherwise from the last look. */
  readonly evidence: readonly Claim[];
  readonly open: readonly OpenMargin[];
  /** Guardrails that fail and primary rows that lose, by evidence that holds at any look. */
  readonly alarms: readonly RowKey[];
  /** Rows that are significantly worse, except rows that certainly lose less than their margin. */
  readonly losses: readonly RowKey[];
  /** The first day by which a hundredth of the users had arrived. */
  readonly startedOn: Day;
  /** No look before this instant decides. */
  readonly earliestEnd: number;
  readonly plannedEnd: number;
  /** Result of the decision look, which an alarm may hide in `state`; null before that look. */
  readonly decidedState: DecisionState | null;
  /** The night of the decision look; null before it. */
  readonly decidedOn: Day | null;
  /** Expected users of control and each treatment; they tune the confidence sequences. */
  readonly expectedUsers: Readonly<Record<string, number>>;
  readonly planChanges: readonly PlanChange[];
}
