import type { DecisionState } from "../results/decision-status.ts";
import type { ExperimentFacts } from "../results/experiment-state.ts";
import type { DecisionSummary, RowSummary } from "../results/run-summary.ts";
import { DAY_MS, type Day } from "../time/day.ts";

export const now = Date.UTC(2026, 5, 10, 9);

export const row = (change: Partial<RowSummary> = {}): RowSummary => ({
  metric: "m",
  treatment: "b",
  role: "primary",
  desired: "increase",
  effect: 1,
  ciLow: null,
  ciHigh: null,
  relativeEffect: null,
  relativeCiLow: null,
  relativeCiHigh: null,
  pValue: 0.5,
  pValueFdr: 0.5,
  pValueSeqFdr: 1,
  significant: false,
  verdict: "inconclusive",
  progress: { share: 0.5, daysToGo: 4 },
  nonInferiority: null,
  ...change,
});
export const run = (
  rows: readonly RowSummary[],
  change: Partial<NonNullable<ExperimentFacts["lastRun"]>> = {},
): ExperimentFacts["lastRun"] => ({
  srmStatus: "passed",
  worstRemark: null,
  rows,
  tradeoffs: [],
  decision: null,
  windowTo: now - 9 * 3_600_000,
  computedAt: now - 9 * 3_600_000,
  preliminary: false,
  ...change,
});

export const facts = (change: Partial<ExperimentFacts> = {}): ExperimentFacts => ({
  status: "running",
  isHeld: false,
  isDemo: false,
  decision: null,
  primaryMetrics: ["m"],
  changedAt: now - 9 * DAY_MS,
  exposures: 100,
  lastExposureOn: "2026-06-10" as Day,
  lastRun: null,
  lastNight: { outcome: "computed", finishedAt: now - 9 * 3_600_000 },
  ...change,
});
export const withRows = (rows: readonly RowSummary[], change: Partial<ExperimentFacts> = {}) =>
  facts({ lastRun: run(rows), ...change });
export const better = row({ verdict: "better" });

/** The decision of a run under a plan of four weeks. */
export const planned = (state: DecisionState, change: Partial<DecisionSummary> = {}): DecisionSummary => ({
  state,
  decidedState: null,
  treatment: "b",
  looks: "group_sequential",
  look: 3,
  information: 0.4,
  boundary: 3.1,
  open: [],
  alarms: [],
  losses: [],
  startedOn: "2026-06-01" as Day,
  earliestEnd: now - 3 * DAY_MS,
  plannedEnd: now + 18.5 * DAY_MS,
  decidedOn: null,
  ...change,
});
