export * from "./analyze.ts";
export * from "./distributions.ts";
export * from "./eligibility.ts";
export * from "./metric-queries.ts";
export * from "./run-experiment.ts";
export type { RunFrame } from "./run-frame.ts";
export * from "./srm-gate.ts";
