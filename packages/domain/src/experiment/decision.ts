export const DECISION_OUTCOMES = ["won", "lost", "inconclusive", "invalid"] as const;
export type DecisionOutcome = (typeof DECISION_OUTCOMES)[number];

/** Why an experiment was stopped, in the words of whoever did. */
export interface Decision {
  readonly outcome: DecisionOutcome;
  /** The variant that everybody is to get from now on; null when none was chosen. */
  readonly variant: string | null;
  readonly note: string | null;
}
