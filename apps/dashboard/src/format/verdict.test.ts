import { describe, expect, test } from "vitest";
import type { ExperimentOverview, MetricDefinition, MetricResult, Tradeoff } from "../api/types.ts";
import {
  decidedOf,
  overviewOf as listedOverview,
  planStatusOf,
} from "../pages/experiments/overview-fixture.ts";
import { guardrailAnswer, lossInWords, worstLoss } from "./effect.ts";
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

const overviewOf = (change: Partial<ExperimentOverview>): ExperimentOverview =>
  listedOverview({
    control: "base",
    variants: ["base", "concise"],
    users: { base: 700, concise: 703 },
    exposures: 1403,
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

const passes = {
  name: "passes",
  kind: "ratio",
  category: "quality",
  source: { event: "judge" },
} as MetricDefinition;

const tradeoff = (isJudgeOpinion = false): Tradeoff => ({
  treatment: "concise",
  verdict: "cheaper-and-not-worse",
  saving: {
    metric: "answer_tokens",
    usd_per_1000_users: 4.1,
    ci_low: 3.2,
    ci_high: 5,
    relative_effect: -0.18,
    relative_ci_low: -0.21,
    relative_ci_high: -0.15,
  },
  not_worse: [{ metric: "passes", margin: 0.02, worst_loss: 0.01, is_judge_opinion: isJudgeOpinion }],
  is_settled: true,
});

const SAVES =
  "concise saves $4.10 per 1,000\u00a0users (95% CI $3.20 to $5.00), and passes is not worse by more than 2\u00a0points";

const EFFECT = "concise lowers answer_tokens by 18% (95% CI \u221221% to \u221215%), which is better";

const READY = { state: "ready-to-decide", plan_status: decidedOf("ready-to-decide") } as const;
const ALARM = [{ metric: "latency", treatment: "concise" }];
const FAILING = {
  state: "guardrail-failing",
  failing_guardrails: ALARM,
  plan_status: planStatusOf({ state: "guardrail-failing", alarms: ALARM }),
} as const;
const LOSS = [{ metric: "usd", treatment: "concise" }];
const costRow = (change: Partial<MetricResult> = {}) =>
  rowOf({
    ...{ metric: "usd", role: "secondary", verdict: "worse", effect: 52 },
    ...{ relative_effect: 0.52, relative_ci_low: 0.4, relative_ci_high: 0.6, ...change },
  });

describe("verdictSentence", () => {
  test.each([
    {
      name: "names the effect with its interval, and what a guardrail does not prove",
      overview: overviewOf({ ...READY, primary }),
      details: { metrics: [], rows: [rowOf({}), guardrail({})] },
      says: `${EFFECT}; no guardrail got worse, but latency with concise could still be worse by up to 11. Decided on 18 Jan 2026 (look 5): concise may be shipped.`,
    },
    {
      name: "says so when every guardrail is within its tolerance",
      overview: overviewOf({ ...READY, primary }),
      details: { metrics: [latency(20)], rows: [rowOf({}), guardrail({ desired: "decrease" })] },
      says: `${EFFECT}; no guardrail is worse by more than its margin. Decided on 18 Jan 2026 (look 5): concise may be shipped.`,
    },
    {
      name: "does not call a guardrail unharmed that has no result yet",
      overview: overviewOf({ ...READY, primary }),
      details: {
        metrics: [latency(20), { ...passes, role: "guardrail" } as MetricDefinition],
        rows: [rowOf({}), guardrail({ desired: "decrease" })],
      },
      says: `${EFFECT}; no guardrail with a result is worse by more than its margin; passes, a guardrail, has no result yet. Decided on 18 Jan 2026 (look 5): concise may be shipped.`,
    },
    {
      name: "names the open guardrails of the treatment that the state is about first",
      overview: overviewOf({ ...READY, primary }),
      details: {
        metrics: [],
        rows: [rowOf({}), ...["a", "b", "c", "d", "concise"].map((treatment) => guardrail({ treatment }))],
      },
      says: `${EFFECT}; no guardrail got worse, but latency with concise could still be worse by up to 11, and latency with a could still be worse by up to 11, and latency with b could still be worse by up to 11, and 2 more could be, too. Decided on 18 Jan 2026 (look 5): concise may be shipped.`,
    },
    {
      name: "does not leave a gain of the newest night beside a decision that found none",
      overview: overviewOf({ state: "no-difference", plan_status: decidedOf("no-difference"), primary }),
      details: { metrics: [], rows: [rowOf({})] },
      says: `${EFFECT}. Decided on 18 Jan 2026 (look 5): nothing was found to be better, and no margin is open. A gain on a later night changes that only with evidence that holds at any look.`,
    },
    {
      name: "claims nothing of guardrails it was not told of",
      overview: overviewOf({ state: "winning", plan_status: planStatusOf({ state: "winning" }), primary }),
      details: undefined,
      says: `${EFFECT}. Ahead, but not decided yet: 43% of the planned information, planned end 18 Jan 2026.`,
    },
    {
      name: "puts a failing guardrail first, in its unit where there is no relative effect",
      overview: overviewOf({
        ...FAILING,
        primary,
      }),
      details: {
        metrics: [latency(null)],
        rows: [
          rowOf({}),
          guardrail({ verdict: "worse", effect: 90, ci_low: 60, ci_high: 120, relative_effect: null }),
        ],
      },
      says: `concise raises latency by 90\u00a0ms (95% CI +60\u00a0ms to +120\u00a0ms), a guardrail; ${EFFECT}. The guardrail is worse by evidence that holds at any look. Check it first.`,
    },
    {
      name: "names a failing guardrail without its row",
      overview: overviewOf({
        ...FAILING,
      }),
      details: undefined,
      says: "latency, a guardrail, is worse with concise. The guardrail is worse by evidence that holds at any look. Check it first.",
    },
    {
      name: "says what an unclear interval still allows",
      overview: overviewOf({ state: "running", plan_status: planStatusOf({}), primary: unclear }),
      details: undefined,
      says: "answer_tokens, concise vs base: +1.2% (95% CI \u22123% to +5%). Running: 43% of the planned information, planned end 18 Jan 2026.",
    },
    {
      name: "speaks of a run from before there were plans",
      overview: overviewOf({ state: "running", primary: unclear }),
      details: undefined,
      says: "answer_tokens, concise vs base: +1.2% (95% CI \u22123% to +5%). Running: the next nightly run follows the decision plan.",
    },
    {
      name: "puts a significant loss of a secondary metric first, with its size",
      overview: overviewOf({
        state: "mixed",
        plan_status: decidedOf("mixed", { losses: LOSS }),
        primary,
      }),
      details: { metrics: [], rows: [rowOf({}), costRow()] },
      says: `concise is significantly worse in usd (+52%); ${EFFECT}. Decided on 18 Jan 2026 (look 5): better in one metric, significantly worse in another. Weigh the two.`,
    },
    {
      name: "names a loss without its row",
      overview: overviewOf({ state: "mixed", plan_status: decidedOf("mixed", { losses: LOSS }) }),
      details: undefined,
      says: "concise is significantly worse in usd. Decided on 18 Jan 2026 (look 5): better in one metric, significantly worse in another. Weigh the two.",
    },
    {
      name: "does not call a guardrail unharmed that is significantly worse, and tells each loss once",
      overview: overviewOf({
        state: "running",
        plan_status: planStatusOf({
          losses: [...LOSS, { metric: "answer_tokens", treatment: "concise" }],
        }),
        primary,
      }),
      details: {
        metrics: [],
        rows: [
          rowOf({ verdict: "worse", effect: 1, relative_effect: 0.1 }),
          costRow({ role: "guardrail" }),
          guardrail({}),
        ],
      },
      says: "concise is significantly worse in usd (+52%, a guardrail) and answer_tokens (+10%); no other guardrail got worse, but latency with concise could still be worse by up to 11. Running: 43% of the planned information, planned end 18 Jan 2026.",
    },
    {
      name: "does not say that no guardrail got worse where one did by less than its margin",
      overview: overviewOf({ state: "running", plan_status: planStatusOf({}), primary: unclear }),
      details: {
        metrics: [],
        rows: [
          rowOf(unclear),
          guardrail({}),
          guardrail({
            metric: "errors",
            verdict: "worse",
            non_inferiority: {
              margin: 0.02,
              worst_loss: 0.015,
              is_not_worse: true,
              is_not_worse_seq: true,
            },
          }),
        ],
      },
      says: "answer_tokens, concise vs base: +1.2% (95% CI \u22123% to +5%); no guardrail is clearly worse by more than its margin, but latency with concise could still be worse by up to 11. Running: 43% of the planned information, planned end 18 Jan 2026.",
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
      says: "Users are not split as allocated, so any difference could come from who was counted. Find the cause.",
    },
    {
      name: "says who won and what was last seen",
      overview: overviewOf({
        state: "stopped-won",
        primary,
        decision: { outcome: "won", variant: "concise" },
      }),
      details: undefined,
      says: `Stopped: a variant won. Assay gives nobody a variant. To give concise to everybody, ship it. Last result: ${EFFECT}.`,
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
      says: `Stopped: a variant won. Assay gives nobody a variant. To give concise to everybody, ship it. Last result: latency, a guardrail, is worse with concise; ${EFFECT}.`,
    },
    {
      name: "keeps control where nothing else was chosen",
      overview: overviewOf({ state: "stopped-lost", decision: { outcome: "lost", variant: null } }),
      details: undefined,
      says: "Stopped: the change did not help. Assay gives nobody a variant: clients get null and fall back to base.",
    },
    {
      name: "knows experiments that were stopped without a decision",
      overview: overviewOf({ state: "stopped" }),
      details: undefined,
      says: "Stopped without a recorded decision. Assay gives nobody a variant: clients get null and fall back to base.",
    },
    {
      name: "tells an archived experiment's decision",
      overview: overviewOf({ state: "archived", decision: { outcome: "lost", variant: "base" } }),
      details: undefined,
      says: "Stopped: the change did not help. Assay gives nobody a variant: clients get null and fall back to base.",
    },
    {
      name: "awaits the primary metric where others have results",
      overview: overviewOf({ state: "collecting" }),
      details: { metrics: [], rows: [costRow()] },
      says: "1,403\u00a0users so far. A primary metric has no result yet, so nothing can be decided. The run's remarks say what is missing.",
    },
    {
      name: "knows archived experiments without a decision",
      overview: overviewOf({ state: "archived" }),
      details: undefined,
      says: "Archived: it assigns no users and is hidden from the list.",
    },
    {
      name: "puts what is saved, and at what loss at most, before the rest",
      overview: overviewOf({ ...READY, primary: unclear, tradeoffs: [tradeoff()] }),
      details: { metrics: [passes], rows: [rowOf(unclear), guardrail({})] },
      says: `${SAVES}; no guardrail got worse, but latency with concise could still be worse by up to 11. Decided on 18 Jan 2026 (look 5): concise may be shipped.`,
    },
    {
      name: "does not repeat the saving's metric or a guardrail of the trade-off",
      overview: overviewOf({ ...READY, primary, tradeoffs: [tradeoff()] }),
      details: { metrics: [passes], rows: [rowOf({}), guardrail({ metric: "passes" })] },
      says: `${SAVES}. Decided on 18 Jan 2026 (look 5): concise may be shipped.`,
    },
    {
      name: "says when a verdict rests on the judge alone",
      overview: overviewOf({ ...READY, primary: unclear, tradeoffs: [tradeoff(true)] }),
      details: { metrics: [passes], rows: [] },
      says: `${SAVES}. Decided on 18 Jan 2026 (look 5): concise may be shipped. passes is only the judge's opinion so far. Label answers before you rely on it.`,
    },
    {
      name: "says so of a clear judged row, too",
      overview: overviewOf({ ...READY, primary }),
      details: { metrics: [], rows: [rowOf({ judge: { calibrated: false } as MetricResult["judge"] })] },
      says: `${EFFECT}. Decided on 18 Jan 2026 (look 5): concise may be shipped. answer_tokens is only the judge's opinion so far. Label answers before you rely on it.`,
    },
    {
      name: "says that a clear loss is smaller than what is accepted",
      overview: overviewOf({ ...READY, primary, tradeoffs: [tradeoff()] }),
      details: {
        metrics: [passes],
        rows: [
          rowOf({
            metric: "passes",
            desired: "increase",
            verdict: "worse",
            effect: -0.01,
            relative_effect: null,
            ci_low: -0.015,
            ci_high: -0.005,
            non_inferiority: { margin: 0.02, worst_loss: 0.015, is_not_worse: true, is_not_worse_seq: true },
          }),
        ],
      },
      says: `${SAVES}; concise lowers passes by 1\u00a0point (95% CI \u22121.5\u00a0points to \u22120.5\u00a0points), which is worse but by less than the accepted 2\u00a0points. Decided on 18 Jan 2026 (look 5): concise may be shipped.`,
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
  { verdict: "worse", ci_high: 11, margin: 10, answer: "worse" },
  { verdict: "worse", ci_high: 3, margin: 10, answer: "tolerable" },
  { verdict: "inconclusive", ci_high: 9, margin: 10, answer: "tolerable" },
  { verdict: "inconclusive", ci_high: 10, margin: 10, answer: "unclear" },
  { verdict: "better", ci_high: -1, margin: null, answer: "unclear" },
] as const)("a guardrail that is $verdict up to $ci_high with margin $margin is $answer", (facts) => {
  const row = {
    verdict: facts.verdict,
    ci_high: facts.ci_high,
    ci_low: null,
    desired: "decrease",
    non_inferiority: null,
  } as const;
  expect(guardrailAnswer(row, latency(facts.margin))).toBe(facts.answer);
});

test.each([
  { stored: null, margin: 20, ci_high: 12, says: "not worse by more than 20 ms" },
  { stored: null, margin: 10, ci_high: 12, says: "may be worse by up to 12 ms (10 ms allowed)" },
  { stored: null, margin: 10, ci_high: null, says: "no bound on the loss (10 ms allowed)" },
  { stored: null, margin: null, ci_high: 12, says: null },
  { stored: 30, margin: 10, ci_high: 12, says: "not worse by more than 30 ms" },
])("the margin that a run kept goes before that of today: %j", ({ stored, margin, ci_high, says }) => {
  const kept =
    stored === null ? null : { margin: stored, worst_loss: 12, is_not_worse: true, is_not_worse_seq: true };
  const row = { desired: "decrease", ci_low: null, ci_high, non_inferiority: kept } as const;
  expect(lossInWords(row, latency(margin))?.replaceAll("\u00a0", " ") ?? null).toBe(says);
});
