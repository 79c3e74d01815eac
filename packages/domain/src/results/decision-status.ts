import type { Looks } from "../experiment/decision-plan.ts";
import type { Day } from "../time/day.ts";

/** Where the decision stands by the experiment's plan. */
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

/** What a row may show: that the treatment is better, or that it is not worse by more than the margin. */
export const CLAIM_KINDS = ["better", "not-worse"] as const;
export type ClaimKind = (typeof CLAIM_KINDS)[number];

export interface RowKey {
  readonly metric: string;
  readonly treatment: string;
}

/** A row's evidence for what the plan asks of it. */
export interface Claim extends RowKey {
  readonly kind: ClaimKind;
  /** A new version of the metric starts its looks anew. */
  readonly metricVersion: number;
  /** Whether people's labels correct the row: looks at the judge's opinion alone are no looks at it. */
  readonly isCalibrated: boolean;
  /** In favour of the claim, as a standard normal deviate; null: the row allows no claim. */
  readonly z: number | null;
  /** Shares of the planned information at the looks so far, 0 to 1, ascending. */
  readonly fractions: readonly number[];
  /** What `z` must reach at the last look; null: none yet, or no look can decide so early. */
  readonly boundary: number | null;
  /** Chance that the claim is met by the end if the effect is the target; null: met, final, or not asked for. */
  readonly conditionalPower: number | null;
  /** The target has become unlikely: the futility boundary is crossed. */
  readonly isUnlikely: boolean;
  /** The night that met it; null: not met. */
  readonly metOn: Day | null;
  /** The row's numbers at the last look. */
  readonly effect: number;
  readonly ciLow: number | null;
  readonly ciHigh: number | null;
  readonly pValue: number;
}

/** A margin that is not settled, and what settles it at the traffic so far. */
export interface OpenMargin extends RowKey {
  /** More days; null: not known, or more than ten years. */
  readonly days: number | null;
  /** More labels, where people's labels limit the row; else null. */
  readonly labels: number | null;
}

/** A change of the plan after the first exposure. */
export interface PlanChange {
  readonly at: number;
  readonly reason: string;
}

/** What the plan makes of a run. Instants in epoch milliseconds. */
export interface DecisionStatus {
  readonly state: DecisionState;
  /** The treatment that the state is about; null: all alike. */
  readonly treatment: string | null;
  readonly looks: Looks;
  /** Number of looks so far. */
  readonly look: number;
  /** Share of the planned information, 0 to 1: of the primary row that is furthest behind. */
  readonly information: number;
  /** What the furthest primary row must reach; null: no look yet. */
  readonly boundary: number | null;
  /** Of the decision look once there was one, else of the last look. */
  readonly evidence: readonly Claim[];
  readonly open: readonly OpenMargin[];
  /** Guardrails that fail and primary rows that lose, by evidence that holds at any look. */
  readonly alarms: readonly RowKey[];
  /** Rows that are significantly worse, and not certainly by less than a margin. */
  readonly losses: readonly RowKey[];
  /** The day by which the first hundredth of the users had come. */
  readonly startedOn: Day;
  /** No look decides before. */
  readonly earliestEnd: number;
  readonly plannedEnd: number;
  /** What the decision look gave, which an alarm may hide in `state`; null: there was none yet. */
  readonly decidedState: DecisionState | null;
  /** The night of the decision look; null: none yet. */
  readonly decidedOn: Day | null;
  /** Expected users of control and each treatment, to which the confidence sequences are tuned. */
  readonly expectedUsers: Readonly<Record<string, number>>;
  readonly planChanges: readonly PlanChange[];
}
