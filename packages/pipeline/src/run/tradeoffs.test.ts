import { type ArmMetric, DAY_MS, dayOf, type MetricDefinition } from "@assay/domain";
import { describe, expect, test } from "vitest";
import { sums } from "../test-support/arms.ts";
import { judgedMetric, judgedOf } from "../test-support/judged.ts";
import { judgedPeople } from "../test-support/judged-people.ts";
import { codes, exposure, metric, run, until } from "../test-support/runs.ts";
import { costPerUser, costPerUserQueries } from "./cost-per-user.ts";

const costMetric = (change: Partial<MetricDefinition> = {}) =>
  metric("cost", {
    category: "cost",
    source: { event: "model_call", field: "cost_usd" },
    desired: "decrease",
    ...change,
  });
const quality = (change: Partial<MetricDefinition> = {}) =>
  metric("quality", { margin: 0.5, role: "guardrail", ...change });

const two = (name: string, control: number, treatment: number, variance = 1): ArmMetric[] => [
  sums({ metric: name, arm: "control" }, 2_000, { mean: control, variance }),
  sums({ metric: name, arm: "treatment" }, 2_000, { mean: treatment, variance }),
];
/** Costs 2 cents per user in control, 1.6 in treatment. */
const saving = two("cost", 0.02, 0.016, 1e-4);
const same = two("quality", 5, 4.9);

const tradeoffsOf = (metrics: readonly MetricDefinition[], data: readonly ArmMetric[]) =>
  run({ metrics }, { metrics: data }).tradeoffs;

describe("cheaper and not worse", () => {
  test("gives the money saved per 1,000 users with its interval, and how much each metric may lose", () => {
    const results = run({ metrics: [costMetric(), quality()] }, { metrics: [...saving, ...same] });
    const { "cost::treatment": cost, "quality::treatment": bound } = results.results;
    expect(results.tradeoffs).toEqual([
      {
        treatment: "treatment",
        verdict: "cheaper-and-not-worse",
        saving: {
          metric: "cost",
          usdPer1000Users: expect.closeTo(4, 9),
          ciLow: expect.closeTo(-1000 * cost!.ciHigh!, 9),
          ciHigh: expect.closeTo(-1000 * cost!.ciLow!, 9),
          relativeEffect: cost!.relativeEffect,
          relativeCiLow: cost!.relativeCiLow,
          relativeCiHigh: cost!.relativeCiHigh,
        },
        notWorse: [
          {
            metric: "quality",
            margin: 0.5,
            worstLoss: bound!.nonInferiority!.worstLoss,
            isJudgeOpinion: false,
          },
        ],
        isSettled: false,
      },
    ]);
    expect(results.tradeoffs[0]!.saving.ciLow).toBeGreaterThan(0);
    expect(bound!.nonInferiority!.worstLoss).toBeCloseTo(-bound!.ciLow!, 12);
  });

  test.each<{ what: string; metrics: MetricDefinition[]; data: ArmMetric[]; isThere: boolean }>([
    {
      what: "nothing has a margin",
      metrics: [costMetric(), quality({ margin: null })],
      data: [...saving, ...same],
      isThere: false,
    },
    {
      what: "only cost has a margin",
      metrics: [costMetric({ margin: 1 }), quality({ margin: null })],
      data: [...saving, ...same],
      isThere: false,
    },
    {
      what: "cost and quality have a margin",
      metrics: [costMetric({ margin: 1 }), quality()],
      data: [...saving, ...same],
      isThere: true,
    },
    {
      what: "the cost is not significantly lower",
      metrics: [costMetric(), quality()],
      data: [...two("cost", 0.02, 0.0199, 1e-4), ...same],
      isThere: false,
    },
    {
      what: "the cost is higher",
      metrics: [costMetric(), quality()],
      data: [...two("cost", 0.016, 0.02, 1e-4), ...same],
      isThere: false,
    },
    {
      what: "the loss may be beyond the margin",
      metrics: [costMetric(), quality()],
      data: [...saving, ...two("quality", 5, 4.53)],
      isThere: false,
    },
    {
      what: "the loss is significant, and within the margin",
      metrics: [costMetric(), quality({ role: "primary" })],
      data: [...saving, ...two("quality", 5, 4.8)],
      isThere: true,
    },
    {
      what: "a metric with a margin has no row yet",
      metrics: [costMetric(), quality(), metric("late", { margin: 1 })],
      data: [...saving, ...same],
      isThere: false,
    },
    {
      what: "a guardrail without a margin got worse",
      metrics: [costMetric(), quality(), metric("other", { role: "guardrail" })],
      data: [...saving, ...same, ...two("other", 5, 4)],
      isThere: false,
    },
    {
      what: "a primary metric without a margin got worse",
      metrics: [costMetric(), quality(), metric("other")],
      data: [...saving, ...same, ...two("other", 5, 4)],
      isThere: false,
    },
    {
      what: "a secondary metric got worse",
      metrics: [costMetric(), quality(), metric("other", { role: "secondary" })],
      data: [...saving, ...same, ...two("other", 5, 4)],
      isThere: true,
    },
    {
      what: "the cheaper metric is not a cost of calls",
      metrics: [costMetric({ category: "business" }), quality()],
      data: [...saving, ...same],
      isThere: false,
    },
  ])("when $what: $isThere", ({ metrics, data, isThere }) => {
    expect(tradeoffsOf(metrics, data)).toHaveLength(isThere ? 1 : 0);
  });

  test("is judged per treatment", () => {
    const arms = ["control", "a", "b"];
    const of = (name: string, means: readonly number[], variance: number) =>
      arms.map((arm, index) => sums({ metric: name, arm }, 2_000, { mean: means[index]!, variance }));
    const data = [...of("cost", [0.02, 0.016, 0.016], 1e-4), ...of("quality", [5, 5, 4], 1)];
    const { tradeoffs } = run({ metrics: [costMetric(), quality()], arms }, { metrics: data });
    expect(tradeoffs.map(({ treatment }) => treatment)).toEqual(["a"]);
  });

  test("is settled when the plan's looks have met the saving and every margin", () => {
    const settledAt = (days: number, margin = 0.2) => {
      const data = [...saving, ...two("quality", 5, 4.99)];
      const usersByDay = new Map([[dayOf(until - days * DAY_MS), 1_000]]);
      const exposures = ["control", "treatment"].map((arm) => exposure(arm, 1_000, { usersByDay }));
      return run({ metrics: [costMetric(), quality({ margin })] }, { metrics: data, exposures }).tradeoffs;
    };
    expect(settledAt(13)).toMatchObject([{ isSettled: true }]);
    // There is no look before the minimum run.
    expect(settledAt(5)).toMatchObject([{ isSettled: false }]);
    // The interval stays within this margin, but does not reach the first look's boundary.
    expect(settledAt(8, 0.075)).toMatchObject([{ isSettled: false }]);
  });

  test("needs an interval of the saving", () => {
    const { results } = run({ metrics: [costMetric()] }, { metrics: saving });
    const row = results["cost::treatment"]!;
    const input = { frame: { periods: [] }, sums: [] };
    expect(costPerUser(costMetric(), row, input)?.effect).toBe(row.effect);
    expect(costPerUser(costMetric(), { ...row, ciLow: null }, input)).toBeNull();
  });

  test("cannot be computed for rank tests, and says so", () => {
    const ranks = quality({ method: "mann_whitney_u" });
    const ladder = Array.from({ length: 300 }, (_, index) => index);
    const people = ["control", "treatment"].map((arm): ArmMetric => {
      const y = Float64Array.from(ladder);
      const nothing = new Float64Array(300).fill(Number.NaN);
      return {
        ...sums({ metric: "quality", arm }, 300),
        sample: { type: "values", y, d: new Float64Array(300).fill(1), preY: nothing, preD: nothing },
      };
    });
    const results = run({ metrics: [costMetric(), ranks] }, { metrics: [...saving, ...people] });
    expect(results.results["quality::treatment"]?.nonInferiority).toMatchObject({
      worstLoss: null,
      isNotWorse: false,
    });
    expect(results.tradeoffs).toEqual([]);
    expect(codes(results)).toEqual(["margin-not-judged"]);
    expect(results.health[0]).toMatchObject({ severity: "warning" });
  });
});

describe("a cost that is not per user", () => {
  const perCall = costMetric({ kind: "ratio" });
  const perUser = (control: number, treatment: number) => two("cost per user", control, treatment, 1e-4);

  test("is given in money by the cost per user, which is not a row of the run", () => {
    const data = [...saving, ...same, ...perUser(0.1, 0.09)];
    const results = run({ metrics: [perCall, quality()] }, { metrics: data });
    expect(Object.keys(results.results)).toEqual(["cost::treatment", "quality::treatment"]);
    expect(results.tradeoffs[0]?.saving).toMatchObject({
      metric: "cost",
      usdPer1000Users: expect.closeTo(10, 9),
      relativeEffect: results.results["cost::treatment"]?.relativeEffect,
    });
  });

  test.each([
    { what: "users call so much more that nothing is saved", data: perUser(0.1, 0.1) },
    { what: "the cost per user is not known", data: [] },
  ])("is not a saving when $what", ({ data }) => {
    expect(tradeoffsOf([perCall, quality()], [...saving, ...same, ...data])).toEqual([]);
  });

  test("gives way to a metric of the cost per user", () => {
    const own = costMetric({ name: "own" });
    const data = [...saving, ...same, ...two("own", 0.03, 0.02, 1e-4), ...perUser(0.1, 0.09)];
    expect(tradeoffsOf([perCall, own, quality()], data)[0]?.saving).toMatchObject({
      metric: "own",
      usdPer1000Users: expect.closeTo(10, 9),
    });
  });

  test.each<{ what: string; metrics: MetricDefinition[]; names: string[] }>([
    { what: "a ratio beside a margin", metrics: [perCall, quality()], names: ["cost per user"] },
    {
      what: "a rank test",
      metrics: [costMetric({ method: "mann_whitney_u" }), quality()],
      names: ["cost per user"],
    },
    { what: "a mean", metrics: [costMetric(), quality()], names: [] },
    { what: "a ratio without any margin", metrics: [perCall, quality({ margin: null })], names: [] },
    { what: "no cost", metrics: [quality()], names: [] },
  ])("queries the event store for the cost: $what: $names", ({ metrics, names }) => {
    const queries = costPerUserQueries(metrics);
    expect(queries.map(({ name }) => name)).toEqual(names);
    for (const { kind, cap, source } of queries)
      expect({ kind, cap, source }).toEqual({
        kind: "mean",
        cap: null,
        source: { event: "model_call", field: "cost_usd" },
      });
  });
});

test.each([
  { labels: 20, isJudgeOpinion: true },
  { labels: 200, isJudgeOpinion: false },
])(
  "a bound of $labels labels per arm rests on the judge alone: $isJudgeOpinion",
  ({ labels, isJudgeOpinion }) => {
    const calls = [
      ...judgedPeople(1, { arm: "control", users: 2_000, good: 0.8, labels }),
      ...judgedPeople(2, { arm: "treatment", users: 2_000, good: 0.8, labels }),
    ];
    const judged = judgedMetric({ margin: 0.3, role: "guardrail" });
    const { tradeoffs } = run(
      { metrics: [costMetric(), judged] },
      { metrics: saving },
      { judged: [judgedOf(calls)] },
    );
    expect(tradeoffs).toMatchObject([{ notWorse: [{ metric: "quality", margin: 0.3, isJudgeOpinion }] }]);
  },
);
