import type { Outcome } from "./recommendation.ts";

/** A decision as the form holds it. */
export interface DecisionValues {
  outcome: Outcome;
  variant: string;
  note: string;
}

/** Nobody is to get anything new. */
export const NONE = "";
