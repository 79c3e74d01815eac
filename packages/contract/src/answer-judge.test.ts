import type { ComparedLabel, Judgement } from "@assay/domain";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { expect, test } from "vitest";
import { comparedLabelAnswer, judgementAnswer, labelAnswer } from "./answer-judge.ts";
import { Agreement, JudgementSchema, LabelPage, LabelSchema } from "./schemas/judge.ts";
import { toWire } from "./wire.ts";

const series = { orgId: "o", experimentId: "x", metric: "quality", metricVersion: 2 };
const faults = (schema: TSchema, value: unknown) => [...Compile(schema).Errors(value)];

const judgement: Judgement = {
  ...series,
  eventId: "e1",
  isRepeat: false,
  judgeVersion: "m@0123456789abcdef",
  userId: "u",
  unitId: null,
  arm: "b",
  occurredAt: 0,
  probability: 0.25,
  state: "scored",
  score: 1,
  reason: "Right.",
  cause: "rate-limited",
  detail: "Too many.",
  attempts: 2,
  inputTokens: 10,
  outputTokens: 5,
  costUsd: 0.001,
  judgedAt: 1_000,
  labelScore: 0,
};

test("every field of a judgement reaches the wire", () => {
  const wire = toWire(JudgementSchema, judgementAnswer(judgement));
  expect(faults(JudgementSchema, wire)).toEqual([]);
  expect(wire).toEqual({
    event_id: "e1",
    metric: "quality",
    metric_version: 2,
    is_repeat: false,
    judge_version: "m@0123456789abcdef",
    unit_id: null,
    user_id: "u",
    variant: "b",
    occurred_at: "1970-01-01T00:00:00.000Z",
    probability: 0.25,
    state: "scored",
    score: 1,
    reason: "Right.",
    cause: "rate-limited",
    detail: "Too many.",
    attempts: 2,
    input_tokens: 10,
    output_tokens: 5,
    cost_usd: 0.001,
    judged_at: "1970-01-01T00:00:01.000Z",
    label: 0,
  });
  const pending = toWire(
    JudgementSchema,
    judgementAnswer({ ...judgement, state: "pending", score: null, judgedAt: null }),
  );
  expect(faults(JudgementSchema, pending)).toEqual([]);
});

test("a label names the person who gave it; a compared label adds the judge's score and reason", () => {
  const label: ComparedLabel = {
    ...series,
    eventId: "e1",
    score: null,
    note: "unclear",
    labelledBy: "00000000-0000-7000-8000-000000000001",
    labelledByName: "Ada",
    labelledAt: 0,
    isDrawn: true,
    arm: "b",
    judgeScore: 1,
    judgeReason: "Right.",
  };
  const wire = toWire(LabelSchema, labelAnswer(label));
  expect(faults(LabelSchema, wire)).toEqual([]);
  expect(wire).toEqual({
    event_id: "e1",
    metric: "quality",
    metric_version: 2,
    score: null,
    note: "unclear",
    labelled_by: { id: label.labelledBy, name: "Ada" },
    labelled_at: "1970-01-01T00:00:00.000Z",
    is_drawn: true,
  });
  const page = toWire(LabelPage, { items: [comparedLabelAnswer(label)], nextCursor: null });
  expect(page.items).toEqual([{ ...wire, variant: "b", judge_score: 1, judge_reason: "Right." }]);
  expect(faults(LabelPage, page)).toEqual([]);
});

test("an agreement reaches the wire with its metric, judge version and arms", () => {
  const arm = {
    labels: 4,
    kappa: 0.5,
    ciLow: 0.1,
    ciHigh: 0.9,
    agreeing: 3,
    matrix: [
      [1, 1],
      [0, 2],
    ],
    falsePasses: { count: 1, of: 2 },
    falseFails: { count: 0, of: 2 },
    meanJudgeScore: 0.75,
    meanLabel: 0.5,
  };
  const agreement = { categories: ["0", "1"], drawnLabels: { b: 4 }, overall: arm, arms: { b: arm } };
  const of = { metric: "quality", metricVersion: 2, judgeVersion: null, needed: 50 };
  const wire = toWire(Agreement, { ...agreement, ...of });
  expect(faults(Agreement, wire)).toEqual([]);
  expect(wire).toMatchObject({ metric_version: 2, needed: 50, drawn_labels: { b: 4 } });
  expect(wire.arms.b).toEqual(wire.overall);
  expect(wire.overall).toEqual({
    labels: 4,
    kappa: 0.5,
    ci_low: 0.1,
    ci_high: 0.9,
    agreeing: 3,
    matrix: arm.matrix,
    false_passes: { count: 1, of: 2 },
    false_fails: { count: 0, of: 2 },
    mean_judge_score: 0.75,
    mean_label: 0.5,
  });
});
