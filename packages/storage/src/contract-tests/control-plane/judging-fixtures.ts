import { randomUUID } from "node:crypto";
import {
  type ControlStores,
  type DrawnCall,
  dayOf,
  type JudgedSeries,
  type JudgementOutcome,
  type JudgementTask,
  type JudgeUsage,
  type JudgingPlan,
  type Label,
} from "@assay/domain";
import { JANUARY, NOW, newExperiment, newOrg, ODD_TEXT } from "./fixtures.ts";

export const DAY = dayOf(NOW);
export const HOUR_MS = 3_600_000;

/** Creates an experiment in a new org and returns one of its series. */
export async function newSeries(
  stores: ControlStores,
  overrides: Partial<JudgedSeries> = {},
): Promise<JudgedSeries> {
  const orgId = overrides.orgId ?? (await newOrg(stores));
  const experimentId = overrides.experimentId ?? (await newExperiment(stores, orgId)).id;
  return { orgId, experimentId, metric: ODD_TEXT, metricVersion: 1, ...overrides };
}

export const planOf = (series: JudgedSeries, overrides: Partial<JudgingPlan> = {}): JudgingPlan => ({
  ...series,
  day: DAY,
  judgeVersion: "judge@1",
  calls: { control: 10, treatment: 20 },
  plannedAt: NOW,
  ...overrides,
});

export const drawnOf = (overrides: Partial<DrawnCall> = {}): DrawnCall => ({
  eventId: randomUUID(),
  userId: ODD_TEXT,
  unitId: null,
  arm: "control",
  occurredAt: NOW - HOUR_MS,
  probability: 0.1 + 0.2,
  order: 0xffffffff,
  isRepeated: false,
  hasFailed: false,
  ...overrides,
});

/** Calls `e0`, `e1`, … in the order of judging. */
export const drawnCalls = (count: number, overrides: Partial<DrawnCall> = {}): readonly DrawnCall[] =>
  Array.from({ length: count }, (_, i) => drawnOf({ eventId: `e${i}`, order: i, ...overrides }));

/** Claims pending judgements of the series' experiment, at most ten. */
export const claimOf = (
  { judgements }: Pick<ControlStores, "judgements">,
  { experimentId }: JudgedSeries,
  overrides: Partial<Parameters<ControlStores["judgements"]["claim"]>[0]> = {},
): Promise<readonly JudgementTask[]> =>
  judgements.claim({
    ...{ experimentId, now: NOW, leaseUntil: NOW + HOUR_MS, limit: 10, claim: randomUUID() },
    ...overrides,
  });

type OutcomeOf<Kind extends JudgementOutcome["kind"]> = Extract<JudgementOutcome, { kind: Kind }>;

export const SCORED: OutcomeOf<"scored"> = {
  ...{ kind: "scored", score: 1, reason: ODD_TEXT },
  ...{ answerLength: 42, isCut: false },
};
export const FAILED: OutcomeOf<"failed"> = { kind: "failed", cause: "refused", detail: ODD_TEXT };
export const POSTPONED: OutcomeOf<"postponed"> = {
  kind: "postponed",
  cause: "timed-out",
  detail: ODD_TEXT,
  notBefore: NOW + HOUR_MS,
  isAttempt: true,
};
export const USAGE: JudgeUsage = { inputTokens: 100, outputTokens: 10, costUsd: 0.25 };

/** Settles a task, in January. */
export const settle = (
  { judgements }: Pick<ControlStores, "judgements">,
  task: JudgementTask | undefined,
  overrides: Partial<Parameters<ControlStores["judgements"]["settle"]>[1]> = {},
): Promise<boolean> =>
  judgements.settle(task!, { outcome: SCORED, usage: USAGE, at: NOW, month: JANUARY, ...overrides });

export const labelOf = (series: JudgedSeries, overrides: Partial<Label> = {}): Label => ({
  ...series,
  eventId: "e0",
  score: 0,
  note: ODD_TEXT,
  labelledBy: "u1",
  labelledByName: ODD_TEXT,
  labelledAt: NOW,
  isDrawn: true,
  ...overrides,
});
