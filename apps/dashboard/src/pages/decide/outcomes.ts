import type { Outcome } from "./recommendation.ts";

interface OutcomeWords {
  readonly value: Outcome;
  readonly label: string;
  readonly meaning: string;
}

/** The possible outcomes and their meanings. */
export const OUTCOMES: readonly OutcomeWords[] = [
  {
    value: "won",
    label: "Won",
    meaning: "A variant is better, or cheaper without a loss that matters. Ship it.",
  },
  { value: "lost", label: "Lost", meaning: "The change did not help, or it did harm. Keep control." },
  {
    value: "inconclusive",
    label: "Inconclusive",
    meaning: "No clear difference. Keep what is simpler or cheaper.",
  },
  { value: "invalid", label: "Invalid", meaning: "The data cannot be trusted, so it shows nothing." },
];

/** Returns the word for an outcome. */
export function outcomeWord(outcome: Outcome): string {
  return OUTCOMES.find(({ value }) => value === outcome)?.label ?? outcome;
}
