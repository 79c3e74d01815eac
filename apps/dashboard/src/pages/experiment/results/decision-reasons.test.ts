import { describe, expect, test } from "vitest";
import type { MetricDefinition, MetricResult, Results } from "../../../api/types.ts";
import type { DecisionStatus } from "../../../format/decision-words.ts";
import { planStatusOf } from "../../experiments/overview-fixture.ts";
import { changersOf, powerWarning, reasonsOf } from "./decision-reasons.ts";

const row = (change: Partial<MetricResult>): MetricResult =>
  ({
    metric: "cost",
    role: "primary",
    treatment: "concise",
    control: "base",
    desired: "decrease",
    verdict: "inconclusive",
    control_value: 200,
    effect: -4,
    ci_low: -10,
    ci_high: 2,
    relative_effect: -0.02,
    relative_ci_low: -0.05,
    relative_ci_high: 0.01,
    p_value_fdr: 0.21,
    p_floor: false,
    mde: 20,
    window_days: 10,
    days_to_go: { target_effect: 10, days: 12.3, days_low: 9, days_high: 20 },
    ...change,
  }) as MetricResult;

const guardrail = (change: Partial<MetricResult>) => row({ metric: "latency", role: "guardrail", ...change });
const metrics = (margin: number | null) =>
  [
    { name: "latency", kind: "ratio", margin, source: { event: "model_call", field: "latency_ms" } },
  ] as MetricDefinition[];

const runOf = (rows: readonly MetricResult[], tradeoffs: Results["tradeoffs"] = []) => ({
  results: Object.fromEntries(rows.map((one) => [`${one.metric}::${one.treatment}`, one])),
  tradeoffs,
  decision: null,
});

const decisionOf = (given: Partial<DecisionStatus>): DecisionStatus => ({
  ...planStatusOf({}),
  evidence: [],
  expected_users: {},
  plan_changes: [],
  ...given,
});

const plain = (sentences: readonly string[]) => sentences.map((one) => one.replaceAll("\u00a0", " "));

describe("reasonsOf", () => {
  test("the deciding rows come first, then the correction", () => {
    expect(plain(reasonsOf(runOf([row({})]), []))).toEqual([
      "cost: concise vs base: −2% (95% CI −5% to +1%), corrected p = 0.210: not clear.",
      "This is the only comparison, so no correction is needed. Significant below p = 0.05.",
    ]);
  });

  test.each([
    {
      name: "worse",
      change: { verdict: "worse", effect: 9, ci_high: 12, relative_effect: 0.045 },
      margin: 1,
      says: /raises latency by 4\.5%.*: worse\.$/,
    },
    {
      name: "tolerable",
      change: { ci_high: 12 },
      margin: 20,
      says: /a loss of 12 ms is still possible \(20 ms allowed\)/,
    },
    {
      name: "not bounded enough",
      change: { ci_high: 30 },
      margin: 20,
      says: /but a loss of 30 ms is still possible \(20 ms allowed\)/,
    },
    { name: "without a margin", change: { ci_high: 30 }, margin: null, says: /It has no margin/ },
    {
      name: "without a possible loss",
      change: { ci_high: -1 },
      margin: null,
      says: /its interval excludes a loss/,
    },
    { name: "better", change: { ci_high: -1, verdict: "better" }, margin: null, says: /: better\.$/ },
    { name: "without a bound", change: { ci_high: null }, margin: 20, says: /gives no bound on the loss/ },
  ] as const)("a guardrail that is $name", ({ change, margin, says }) => {
    const [, reason = ""] = plain(reasonsOf(runOf([row({}), guardrail(change)]), metrics(margin)));
    expect(reason).toMatch(says);
  });

  test("a deciding row is compared with its margin", () => {
    const bounded = { margin: 5, worst_loss: 2, is_not_worse: true, is_not_worse_seq: false };
    const reason = (change: Partial<MetricResult>) => plain(reasonsOf(runOf([row(change)]), []))[0];
    expect(reason({ non_inferiority: bounded })).toMatch(/not clear; not worse by more than 5\.$/);
    expect(reason({ non_inferiority: { ...bounded, worst_loss: 7, is_not_worse: false } })).toMatch(
      /may be worse by up to 7 \(5 allowed\)\.$/,
    );
    expect(reason({ non_inferiority: bounded, verdict: "better" })).toMatch(/: better\.$/);
  });

  test("what is cheaper and not worse comes first", () => {
    const tradeoff = {
      treatment: "concise",
      verdict: "cheaper-and-not-worse",
      saving: { metric: "cost", usd_per_1000_users: 4.1, ci_low: 3.2, ci_high: 5 },
      not_worse: [
        { metric: "latency", margin: 20, worst_loss: 1, is_judge_opinion: false },
        { metric: "passes", margin: 0.02, worst_loss: 0, is_judge_opinion: false },
      ],
      is_settled: true,
    } as unknown as Results["tradeoffs"][number];
    expect(plain(reasonsOf(runOf([row({})], [tradeoff]), metrics(20)))[0]).toBe(
      "Cheaper and not worse: concise saves $4.10 per 1,000 users (95% CI $3.20 to $5.00), and latency is not worse by more than 20 ms, passes not by more than 0.02.",
    );
  });

  test.each<{ name: string; rows: MetricResult[]; decision: Partial<DecisionStatus>; says: string }>([
    {
      name: "a loss of a secondary metric comes first, with its size",
      rows: [row({}), row({ metric: "cost_2", role: "secondary", verdict: "worse", effect: 5 })],
      decision: { losses: [{ metric: "cost_2", treatment: "concise" }] },
      says: "concise raises cost_2 by 2% (95% CI −5% to +1%), which is significantly worse.",
    },
    {
      name: "an alarm is worse, whatever the corrected p of the night",
      rows: [row({}), guardrail({ effect: 3 })],
      decision: { alarms: [{ metric: "latency", treatment: "concise" }] },
      says: "concise raises latency by 2% (95% CI −5% to +1%): worse by evidence that holds at any look.",
    },
    {
      name: "a change of the plan after users were exposed is told",
      rows: [row({})],
      decision: { plan_changes: [{ at: "2026-01-09T00:00:00.000Z", reason: "A holiday." }] },
      says: "The plan was changed after the first exposure: A holiday.",
    },
  ])("$name", ({ rows, decision, says }) => {
    const reasons = plain(reasonsOf({ ...runOf(rows), decision: decisionOf(decision) }, metrics(null)));
    expect(reasons).toContain(says);
    expect(reasons.filter((one) => one.startsWith("latency (guardrail)"))).toEqual([]);
  });

  test("the number of comparisons is named", () => {
    expect(reasonsOf(runOf([row({}), guardrail({})]), []).at(-1)).toContain("corrected for 2 comparisons");
  });
});

describe("changersOf", () => {
  test("says how small a change shows, and how long the target takes", () => {
    expect(plain(changersOf([row({})], []))).toEqual([
      "cost: this much data detects a change of 10% or more with 80% power; smaller changes may be missed.",
      "cost: about 13 more days (9 to 20, depending on traffic) to detect a change of 5%.",
    ]);
  });

  test.each([
    { days: 0, says: /enough data to detect a change of 5%/ },
    { days: null, says: /more than ten years/ },
  ])("a target that is $days days away", ({ days, says }) => {
    const toGo = { target_effect: 10, days, days_low: null, days_high: null };
    expect(plain(changersOf([row({ days_to_go: toGo })], []))[1]).toMatch(says);
  });

  test("speaks of the treatment that wins, or else of the one whose differences are hardest to see", () => {
    const rows = [row({ mde: 20 }), row({ treatment: "verbose", mde: 40 })];
    expect(plain(changersOf(rows, []))[0]).toContain("20%");
    const won = [row({ mde: 20, verdict: "better" }), row({ treatment: "verbose", mde: 40 })];
    expect(plain(changersOf(won, []))[0]).toContain("10%");
  });
});

describe("powerWarning", () => {
  const far = { target_effect: 10, days: 90, days_low: null, days_high: null };

  test("a month more shrinks what can be seen with the root of the users", () => {
    expect(powerWarning(row({ days_to_go: far }), [])?.replaceAll("\u00a0", " ")).toBe(
      "Even after 30 more days, only changes in cost above 5% would be detectable.",
    );
  });

  test("agrees with the forecast: what comes later than a month is not seen after a month", () => {
    const slow = row({ days_to_go: far, mde: 10.5, window_days: 2 });
    expect(plain([powerWarning(slow, []) ?? ""])[0]).toContain("only changes in cost above 5% would");
    const never = row({ days_to_go: { ...far, days: null }, mde: 10.5, window_days: 2 });
    expect(plain([powerWarning(never, []) ?? ""])[0]).toBe(
      "At this traffic, detecting a change of 5% in cost would take more than ten years.",
    );
    expect(plain(changersOf([never], []))[1]).toMatch(/a change of 5% takes more than ten years/);
  });

  test("says nothing about traffic before there was a whole day of it", () => {
    for (const days of [90, null]) {
      const young = row({ days_to_go: { ...far, days }, window_days: 0.9 });
      expect(powerWarning(young, [])).toBeNull();
      expect(changersOf([young], [])).toHaveLength(1);
    }
    expect(changersOf([row({ days_to_go: { ...far, days: 0 }, window_days: 0.9 })], [])).toHaveLength(2);
  });

  test.each([
    { name: "near", change: {} },
    { name: "unknown", change: { days_to_go: null } },
    { name: "found already", change: { days_to_go: far, verdict: "better" } },
    { name: "without spread", change: { days_to_go: far, mde: null } },
  ] as const)("keeps silent when the target is $name", ({ change }) => {
    expect(powerWarning(row(change), [])).toBeNull();
  });
});
