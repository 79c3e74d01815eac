import type { RehearsalPlan } from "../rehearsal/rehearsal.ts";

export const planOf = (overrides: Partial<RehearsalPlan> = {}): RehearsalPlan => ({
  datasetId: "d",
  arms: ["control", "a", "b"].map((name) => ({ name, prompt: "Answer.", model: "m", parameters: {} })),
  repeats: 1,
  judge: { rubric: "Is it right?", mode: "pairwise", scale: "1-5" },
  margin: 0.1,
  budgetUsd: 1,
  ...overrides,
});

export const scorePlan = (overrides: Partial<RehearsalPlan> = {}): RehearsalPlan =>
  planOf({ judge: { ...planOf().judge, mode: "score" }, ...overrides });
