import type { Outcome } from "./recommendation.ts";

/** A decision as the form holds it. */
export interface DecisionValues {
  outcome: Outcome;
  variant: string;
  note: string;
}

/** No variant to ship. */
export const NONE = "";
