import { dayOf, type Judge, type MetricDefinition, type ScoredCall, type SeriesSummary } from "@assay/domain";
import type { JudgedMetric } from "../run-frame.ts";
import { metric, until } from "./runs.ts";

export const judge: Judge = { rubric: "Is the answer right?", scale: "pass_fail", sampleRate: 0.5 };

export const judgedMetric = (change: Partial<MetricDefinition> = {}): MetricDefinition =>
  metric("quality", { kind: "ratio", category: "quality", source: { event: "judge" }, judge, ...change });

let serial = 0;

/** A passed call of its own user in control, drawn with probability 1, unless the change says otherwise. */
export const scored = (change: Partial<ScoredCall> = {}): ScoredCall => {
  serial += 1;
  const eventId = change.eventId ?? `e${String(serial).padStart(6, "0")}`;
  return {
    eventId,
    userId: `u-${eventId}`,
    arm: "control",
    occurredAt: until - 3_600_000,
    probability: 1,
    score: 1,
    repeatScore: null,
    answerLength: 100,
    isCut: false,
    label: null,
    ...change,
  };
};

/**
 * The state of judging a metric: these calls are scored, and none waits or has failed, unless the change says
 * otherwise.
 */
export const judgedOf = (calls: readonly ScoredCall[], change: Partial<SeriesSummary> = {}): JudgedMetric => {
  const count = (arm: string) => {
    const own = calls.filter((call) => call.arm === arm);
    const labels = own.filter(({ label }) => label !== null).length;
    return { pending: 0, scored: own.length, failed: 0, labels };
  };
  const arms = Object.fromEntries([...new Set(calls.map(({ arm }) => arm))].map((arm) => [arm, count(arm)]));
  const summary: SeriesSummary = {
    orgId: "o",
    experimentId: "x",
    metric: "quality",
    metricVersion: 1,
    judgeVersion: "judge-1@0123456789abcdef",
    firstDay: dayOf(until - 1),
    lastDay: dayOf(until - 1),
    arms,
    backlog: 0,
    oldestPendingAt: null,
    failures: [],
    evaluations: calls.length,
    evaluationsSince: 0,
    costUsd: 0,
    costUsdSince: 0,
    unpriced: 0,
    lastLabelledAt: null,
    ...change,
  };
  return { metric: summary.metric, summary, calls };
};
