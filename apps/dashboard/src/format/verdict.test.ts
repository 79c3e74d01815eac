import { describe, expect, test } from "vitest";
import type { ExperimentOverview, MetricDefinition, MetricResult } from "../api/types.ts";
import { guardrailAnswer, worstLoss } from "./effect.ts";
import { verdictSentence } from "./verdict.ts";

const primary = {
  metric: "answer_tokens",
  treatment: "concise",
  desired: "decrease",
  effect: -36,
  ci_low: -42,
  ci_high: -30,
  relative_effect: -0.18,
  relative_ci_low: -0.21,
  relative_ci_high: -0.15,
  p_value_fdr: 0.0001,
  significant: true,
  verdict: "better",
} as const;

const unclear = {
  ...primary,
  relative_effect: 0.012,
  relative_ci_low: -0.03,
  relative_ci_high: 0.05,
  effect: 2.4,
  significant: false,
  verdict: "inconclusive",
} as const;

const overviewOf = (change: Partial<ExperimentOverview>): ExperimentOverview => ({
  id: "",
  name: "answers",
  status: "running",
  version: 1,
  is_demo: false,
  control: "base",
  variants: ["base", "concise"],
  created_at: "",
  updated_at: "",
  created_by: null,
  state: "running",
  needs_attention: false,
  is_stale: false,
  users: { base: 700, concise: 703 },
  exposures: 1403,
  last_exposure_on: null,
  primary: null,
  failing_guardrails: [],
  progress: null,
  worst_remark: null,
  last_run: null,
  last_night: null,
  decision: null,
  ...change,
});

const rowOf = (change: Partial<MetricResult>): MetricResult =>
  ({ ...primary, role: "primary", control: "base", ...change }) as MetricResult;

const guardrail = (change: Partial<MetricResult>) =>
  rowOf({
    metric: "latency",
    role: "guardrail",
    verdict: "inconclusive",
    effect: 4,
    ci_low: -3,
    ci_high: 11,
    relative_effect: 0.004,
    relative_ci_low: -0.003,
    relative_ci_high: 0.011,
    ...change,
  });

const latency = (margin: number | null) =>
  ({
    name: "latency",
    kind: "ratio",
    margin,
    source: { event: "model_call", field: "latency_ms" },
  }) as MetricDefinition;

const EFFECT =
  "concise lowers answer_tokens by 18\u00a0% (95\u00a0% interval \u221221\u00a0% to \u221215\u00a0%), which is better";

describe("verdictSentence", () => {
  test.each([
    {
      name: "names the effect with its interval, and what a guardrail does not prove",
      overview: overviewOf({ state: "ready-to-decide", primary }),
      details: { metrics: [], rows: [rowOf({}), guardrail({})] },
      says: `${EFFECT}; no guardrail is clearly worse, which does not prove it safe. Ready to decide.`,
    },
    {
      name: "says so when every guardrail is within its tolerance",
      overview: overviewOf({ state: "ready-to-decide", primary }),
      details: { metrics: [latency(20)], rows: [rowOf({}), guardrail({ desired: "decrease" })] },
      says: `${EFFECT}; no guardrail is worse by more than its tolerance. Ready to decide.`,
    },
    {
      name: "claims nothing of guardrails it was not told of",
      overview: overviewOf({ state: "winning", primary, progress: { share: 0.6, days_to_go: 4.2 } }),
      details: undefined,
      says: `${EFFECT}. The planned amount of data is not there yet: about 5\u00a0more days at this traffic.`,
    },
    {
      name: "puts a failing guardrail first, in its unit where there is no relative effect",
      overview: overviewOf({
        state: "guardrail-failing",
        primary,
        failing_guardrails: [{ metric: "latency", treatment: "concise" }],
      }),
      details: {
        metrics: [latency(null)],
        rows: [
          rowOf({}),
          guardrail({ verdict: "worse", effect: 90, ci_low: 60, ci_high: 120, relative_effect: null }),
        ],
      },
      says: `concise raises latency by 90\u00a0ms (95\u00a0% interval +60\u00a0ms to +120\u00a0ms), a guardrail; ${EFFECT}. Look at the guardrail before anything else.`,
    },
    {
      name: "names a failing guardrail without its row",
      overview: overviewOf({
        state: "guardrail-failing",
        failing_guardrails: [{ metric: "latency", treatment: "concise" }],
      }),
      details: undefined,
      says: "latency, a guardrail, is worse with concise. Look at the guardrail before anything else.",
    },
    {
      name: "says what an unclear interval still allows",
      overview: overviewOf({ state: "running", primary: unclear }),
      details: undefined,
      says: "answer_tokens of concise against base: +1.2\u00a0% (95\u00a0% interval \u22123\u00a0% to +5\u00a0%). Not clear yet: let it run.",
    },
    {
      name: "counts the users while it collects",
      overview: overviewOf({ state: "collecting" }),
      details: undefined,
      says: "1,403\u00a0users so far. Results appear after the nightly run once every variant has about 200 evaluated events.",
    },
    {
      name: "gives no effect while results are withheld",
      overview: overviewOf({ state: "withheld", primary }),
      details: { metrics: [], rows: [] },
      says: "Users are not split as allocated, so any difference could come from who was counted: find the cause.",
    },
    {
      name: "says who won and what was last seen",
      overview: overviewOf({
        state: "stopped-won",
        primary,
        decision: { outcome: "won", variant: "concise" },
      }),
      details: undefined,
      says: `Stopped, and a variant won: everybody gets concise. Last result: ${EFFECT}.`,
    },
    {
      name: "does not hide a guardrail behind a decision",
      overview: overviewOf({
        state: "stopped-won",
        primary,
        failing_guardrails: [{ metric: "latency", treatment: "concise" }],
        decision: { outcome: "won", variant: "concise" },
      }),
      details: undefined,
      says: `Stopped, and a variant won: everybody gets concise. Last result: ${EFFECT}; latency, a guardrail, is worse with concise.`,
    },
    {
      name: "keeps control where nothing else was chosen",
      overview: overviewOf({ state: "stopped-lost", decision: { outcome: "lost", variant: null } }),
      details: undefined,
      says: "Stopped: the change did not help, base stays.",
    },
    {
      name: "knows experiments that were stopped without a decision",
      overview: overviewOf({ state: "stopped" }),
      details: undefined,
      says: "Stopped, without a decision on record.",
    },
  ])("$name", ({ overview, details, says }) => {
    expect(verdictSentence(overview, details)).toBe(says);
  });
});

test.each([
  { row: { desired: "decrease", ci_low: -3, ci_high: 11 }, loss: 11 },
  { row: { desired: "increase", ci_low: -3, ci_high: 11 }, loss: 3 },
  { row: { desired: "increase", ci_low: null, ci_high: 11 }, loss: null },
] as const)("the worst plausible loss of $row is $loss", ({ row, loss }) => {
  expect(worstLoss(row)).toBe(loss);
});

test.each([
  { verdict: "worse", ci_high: 3, margin: 10, answer: "worse" },
  { verdict: "inconclusive", ci_high: 9, margin: 10, answer: "tolerable" },
  { verdict: "inconclusive", ci_high: 11, margin: 10, answer: "unclear" },
  { verdict: "better", ci_high: -1, margin: null, answer: "unclear" },
] as const)("a guardrail that is $verdict up to $ci_high with margin $margin is $answer", (facts) => {
  const row = { verdict: facts.verdict, ci_high: facts.ci_high, ci_low: null, desired: "decrease" } as const;
  expect(guardrailAnswer(row, facts.margin)).toBe(facts.answer);
});
