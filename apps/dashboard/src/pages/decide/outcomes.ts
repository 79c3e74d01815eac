import type { Outcome } from "./recommendation.ts";

interface OutcomeWords {
  readonly value: Outcome;
  readonly label: string;
  readonly meaning: string;
}

/** What an experiment can end with, and what each means. */
export const OUTCOMES: readonly OutcomeWords[] = [
  {
    value: "won",
    label: "Won",
    meaning: "A variant is better, or cheaper at no loss that matters: everybody is to get it.",
  },
  { value: "lost", label: "Lost", meaning: "The change did not help, or it harmed: control stays." },
  {
    value: "inconclusive",
    label: "Inconclusive",
    meaning: "No clear difference: take what is simpler or cheaper.",
  },
  { value: "invalid", label: "Invalid", meaning: "The data cannot be trusted: nothing follows from it." },
];

/** Returns the word for an outcome. */
export function outcomeWord(outcome: Outcome): string {
  return OUTCOMES.find(({ value }) => value === outcome)?.label ?? outcome;
}
