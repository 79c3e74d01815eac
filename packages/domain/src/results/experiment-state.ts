/** Where an experiment stands, for lists and heads of pages. */
export const EXPERIMENT_STATES = [
  "draft",
  "no-traffic",
  "collecting",
  "failed",
  "withheld",
  "guardrail-failing",
  "running",
  "winning",
  "losing",
  "ready-to-decide",
  "no-difference",
  "stopped",
  "stopped-won",
  "stopped-lost",
  "stopped-inconclusive",
  "stopped-invalid",
] as const;
export type ExperimentState = (typeof EXPERIMENT_STATES)[number];
