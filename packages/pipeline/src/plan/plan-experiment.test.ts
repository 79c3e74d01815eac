import type { MetricDefinition } from "@assay/domain";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { metric } from "../test-support/runs.ts";
import { type PlanBaseline, shareSd } from "./plan-baseline.ts";
import { type PlanInput, type PlanRow, planExperiment } from "./plan-experiment.ts";

const metricOf = ({ name = "m", ...change }: Partial<MetricDefinition> = {}) => metric(name, change);

const mean = (value: number, sd: number): PlanBaseline => ({ value, sd, source: "request" });
const share = (value: number): PlanBaseline => mean(value, shareSd(value));

interface Situation extends Partial<Omit<PlanInput, "config" | "metrics" | "baselines">> {
  readonly metric?: Partial<MetricDefinition>;
  readonly baseline?: PlanBaseline | null;
  /** Names of further metrics of the experiment that the request does not name. */
  readonly others?: readonly string[];
  /** The same, for metrics with a margin. */
  readonly bounded?: readonly string[];
  /** Arms with a share of the users, unless given. */
  readonly arms?: readonly string[];
}

/** Plans one metric, with two equal arms unless shares are given. */
function plan({
  metric: own = {},
  baseline = mean(10, 4),
  others = [],
  bounded = [],
  arms,
  ...change
}: Situation) {
  const shares = change.shares ?? { a: 0.5, b: 0.5 };
  const variants = (arms ?? Object.keys(shares)).map((key) => ({
    key,
    prompt: null,
    variables: null,
    description: null,
    enabled: true,
  }));
  return planExperiment({
    config: {
      metrics: [
        metricOf(own),
        ...others.map((name) => metricOf({ name })),
        ...bounded.map((name) => metricOf({ name, margin: 1 })),
      ],
      variants,
      control: "a",
      unit: "user",
    },
    metrics: ["m"],
    shares,
    baselines: new Map(baseline ? [["m", baseline]] : []),
    usersPerDay: 100,
    days: 14,
    targetEffect: null,
    alpha: 0.05,
    power: 0.8,
    ...change,
  });
}

const firstRow = (situation: Situation): PlanRow => plan(situation).rows[0]!;
const binary = { kind: "binary", targetEffect: 0.2 } as const;

// Expected users: (z + z)² (s²C + s²T / k) / δ² by Python 3's statistics.NormalDist, rounded up per arm.
describe("the users that a comparison needs", () => {
  test.each<{ name: string; situation: Situation; users: Record<string, number>; total: number }>([
    {
      name: "10 % against 12 %, in equal arms",
      situation: { metric: binary, baseline: share(0.1) },
      users: { a: 3839, b: 3839 },
      total: 7678,
    },
    {
      name: "10 % against 12 %, a tenth of the users in treatment",
      situation: { metric: binary, baseline: share(0.1), shares: { a: 0.9, b: 0.1 } },
      users: { a: 20_415, b: 2269 },
      total: 22_690,
    },
    {
      name: "a mean of 10 ± 4 against 10.5",
      situation: {},
      users: { a: 1005, b: 1005 },
      total: 2010,
    },
    {
      name: "a negative mean alike",
      situation: { baseline: mean(-10, 4) },
      users: { a: 1005, b: 1005 },
      total: 2010,
    },
    {
      name: "half as many treatment users",
      situation: { shares: { a: 2 / 3, b: 1 / 3 } },
      users: { a: 1507, b: 754 },
      total: 2262,
    },
    {
      name: "a target in the request over the metric's own",
      situation: { metric: { targetEffect: 1 }, targetEffect: 0.05 },
      users: { a: 1005, b: 1005 },
      total: 2010,
    },
    {
      name: "no spread: the minimum of a nightly row",
      situation: { baseline: mean(10, 0) },
      users: { a: 20, b: 20 },
      total: 40,
    },
    {
      name: "a huge effect on a share: the minimum of a nightly row",
      situation: { metric: { ...binary, targetEffect: 1 }, baseline: share(0.4) },
      users: { a: 200, b: 200 },
      total: 400,
    },
  ])("$name", ({ situation, users, total }) => {
    expect(firstRow(situation).needed).toMatchObject({ users, usersTotal: total });
  });

  test("an effect in the wanted direction: a falling share varies less", () => {
    const needed = (desired: "increase" | "decrease") =>
      firstRow({ metric: { ...binary, desired }, baseline: share(0.1) }).needed?.users.b;
    expect([needed("increase"), needed("decrease")]).toEqual([3839, 3211]);
  });
});

test("rank tests are planned without a baseline, for a probability of .55", () => {
  // (z + z)² (1/12 + 1/12) / .05²
  const row = firstRow({ metric: { kind: "ordinal", margin: 1, targetEffect: 0.9 }, baseline: null });
  expect(row.needed?.users).toEqual({ a: 524, b: 524 });
  expect(row).toMatchObject({
    baseline: { value: 0.5, source: "test" },
    targetEffect: { absolute: expect.closeTo(0.05, 12) },
    neededForMargin: null,
  });
});

describe("a margin", () => {
  test("is planned with a power corrected for all margins that must hold", () => {
    const margin = { margin: 0.5 };
    expect(firstRow({}).neededForMargin).toBeNull();
    // (z(.975) + z(.8))² (16 + 16) / .5²
    expect(firstRow({ metric: margin }).neededForMargin?.users).toEqual({ a: 1005, b: 1005 });
    // Two margins: (z(.975) + z(.9))² 32 / .25
    const two = plan({ metric: margin, bounded: ["n"] }).rows[0];
    expect(two?.neededForMargin?.users).toEqual({ a: 1345, b: 1345 });
  });

  test("of 0 can never be settled", () => {
    expect(firstRow({ metric: { margin: 0 } }).neededForMargin).toBeNull();
  });
});

describe("several treatments", () => {
  const three = { shares: { a: 0.5, b: 0.25, c: 0.25 } };

  test("share control, and the third arm takes its share of new users", () => {
    const { rows } = plan(three);
    expect(rows.map(({ treatment, needed }) => [treatment, needed?.users])).toEqual([
      ["b", { a: 1507, b: 754 }],
      ["c", { a: 1507, c: 754 }],
    ]);
    expect(rows[0]?.needed?.usersTotal).toBe(754 * 4);
  });

  test("are corrected together, over all metrics of the experiment", () => {
    expect(plan(three).alphaCorrected).toBe(0.025);
    const thirds = { a: 1 / 3, b: 1 / 3, c: 1 / 3 };
    const { alphaCorrected, rows } = plan({ shares: thirds, others: ["n"], usersPerDay: 300 });
    expect(alphaCorrected).toBe(0.0125);
    expect(rows.map(({ metric, treatment }) => [metric, treatment])).toEqual([
      ["m", "b"],
      ["m", "c"],
    ]);
    expect(rows[0]?.neededCorrected).toEqual({ users: { a: 1428, b: 1428 }, usersTotal: 4284, days: 15 });
  });

  test("are null for an arm without users", () => {
    const { rows } = plan({ shares: { a: 0.5, b: 0.5, c: 0 }, arms: ["a", "b", "c", "closed"] });
    expect(rows.map(({ treatment }) => treatment)).toEqual(["b"]);
  });

  test.each<{ name: string; shares: Readonly<Record<string, number>> }>([
    { name: "control gets nobody", shares: { b: 0.5, c: 0.5 } },
    { name: "nobody gets anything", shares: {} },
    { name: "control gets everybody", shares: { a: 1 } },
  ])("are null when $name", ({ shares }) => {
    expect(plan({ shares }).rows).toEqual([]);
  });
});

describe("the days", () => {
  test.each([
    { name: "whole ones", usersPerDay: 201, windowDays: null, days: 10 },
    { name: "started days count", usersPerDay: 200, windowDays: null, days: 11 },
    { name: "the last user's window must end", usersPerDay: 201, windowDays: 7, days: 17 },
  ])("needed: $name", ({ usersPerDay, windowDays, days }) => {
    expect(firstRow({ usersPerDay, metric: { windowDays } }).needed?.days).toBe(days);
  });

  test("are unknown without users per day, and so is the effect that they would find", () => {
    const row = firstRow({ usersPerDay: null });
    expect(row.needed).toMatchObject({ usersTotal: 2010, days: null });
    expect([row.mde, row.mdeCorrected]).toEqual([null, null]);
  });

  test("find the effect that this number of users needs", () => {
    const row = firstRow({ usersPerDay: 201, days: 10 });
    expect(row.mde).toEqual({
      users: { a: 1005, b: 1005 },
      absolute: expect.closeTo(0.5, 3),
      relative: expect.closeTo(0.05, 4),
    });
    expect(row.mdeCorrected).toEqual(row.mde);
  });

  test("have no size relative to a baseline of 0, which asks for another one", () => {
    const row = firstRow({ metric: binary, baseline: share(0) });
    expect(row.needed).toBeNull();
    expect(row.notes).toContain(
      "The baseline is 0, so a relative target has no size: send a baseline other than 0.",
    );
  });

  test("leave out users whose window is not over", () => {
    expect(firstRow({ metric: { windowDays: 7 } }).mde?.users).toEqual({ a: 350, b: 350 });
    expect(firstRow({ metric: { windowDays: 14 } }).mde).toBeNull();
  });

  test.each([
    { name: "no share above 0 is low enough", desired: "decrease", value: 0.01 },
    { name: "no share up to 1 is high enough", desired: "increase", value: 0.99 },
  ] as const)("find nothing when $name", ({ desired, value }) => {
    const situation = { metric: { ...binary, desired }, baseline: share(value) };
    expect(firstRow({ ...situation, usersPerDay: 1 }).mde).toBeNull();
  });
});

const positive = (min: number, max: number) => fc.double({ min, max, noNaN: true });
test("the effect found by the users needed is the target, for shares and for means", () => {
  fc.assert(
    fc.property(
      fc.record({
        p: positive(0.02, 0.6),
        relative: positive(0.02, 0.5),
        treated: positive(0.1, 0.9),
        power: positive(0.5, 0.95),
        desired: fc.constantFrom("increase", "decrease"),
        kind: fc.constantFrom("binary", "mean"),
      }),
      ({ p, relative, treated, power, desired, kind }) => {
        const situation: Situation = {
          metric: { kind, desired, targetEffect: relative },
          baseline: kind === "binary" ? share(p) : mean(p, 2 * p),
          shares: { a: 1 - treated, b: treated },
          power,
        };
        const needed = firstRow(situation).needed!;
        fc.pre(Math.min(...Object.values(needed.users)) > 1000);
        const found = firstRow({ ...situation, usersPerDay: needed.usersTotal, days: 1 }).mde!;
        expect(found.relative! / relative).toBeCloseTo(1, 2);
      },
    ),
  );
});

describe("the notes", () => {
  const notes = (situation: Situation) => firstRow(situation).notes.join(" ");

  test.each<{ name: string; metric: Partial<MetricDefinition>; words: RegExp }>([
    {
      name: "a metric of runs",
      metric: { source: { event: "run", field: "turns" } },
      words: /Past runs are not read.*"sd"/,
    },
    { name: "a metric without data", metric: {}, words: /14 days have no data.*"sd"/ },
    { name: "a share without data", metric: binary, words: /\{"m": \{"value": <share>\}\}/ },
    {
      name: "a judge's score",
      metric: { source: { event: "judge" } },
      words: /Past scores of judges are not read.*<mean>/,
    },
    {
      name: "a quantile",
      metric: { kind: "quantile" },
      words: /quantile.*standard_error × √.*"value": <quantile>/,
    },
  ])("say what to send for $name", ({ metric, words }) => {
    const row = firstRow({ metric, baseline: null });
    expect(row.notes.join(" ")).toMatch(words);
    expect(row).toMatchObject({ baseline: null, needed: null, neededCorrected: null, mde: null });
    expect(row.targetEffect).toMatchObject({ absolute: null });
  });

  test.each<{ name: string; situation: Situation; words: RegExp }>([
    { name: "a baseline of 0", situation: { baseline: mean(0, 1) }, words: /is 0/ },
    {
      name: "a share beyond 1",
      situation: { metric: { ...binary, targetEffect: 1 }, baseline: share(0.6) },
      words: /take the share to 1\.2/,
    },
    {
      name: "a share below 0",
      situation: { metric: { ...binary, targetEffect: 2, desired: "decrease" }, baseline: share(0.5) },
      words: /take the share to -0\.5/,
    },
  ])("explain why the target cannot be found: $name", ({ situation, words }) => {
    expect(firstRow(situation).needed).toBeNull();
    expect(notes(situation)).toMatch(words);
  });

  const history = { ...mean(10, 4), source: "history" } as const;
  test.each<{ name: string; situation: Situation; words: RegExp }>([
    { name: "calls", situation: { metric: { kind: "ratio" } }, words: /more are needed/ },
    {
      name: "calls in history",
      situation: { metric: { kind: "ratio" }, baseline: history },
      words: /sd includes/,
    },
    { name: "windows", situation: { metric: { windowDays: 7 } }, words: /after 7 days/ },
    {
      name: "a window beyond history",
      situation: { metric: { windowDays: 30 }, baseline: history },
      words: /14 days only/,
    },
    { name: "values that grow", situation: { baseline: history }, words: /grows/ },
    {
      name: "shares that grow",
      situation: { metric: binary, baseline: { ...share(0.2), source: "history" } },
      words: /grows/,
    },
    {
      name: "ranks by kind",
      situation: { metric: { kind: "ordinal" } },
      words: /probability of 0\.55 that.*rank test/,
    },
    { name: "ranks by choice", situation: { metric: { method: "mann_whitney_u" } }, words: /rank test/ },
  ])("say what the numbers rest on: $name", ({ situation, words }) => {
    expect(notes(situation)).toMatch(words);
  });

  test("say why a margin or the smallest effect has no numbers", () => {
    expect(firstRow({ metric: { margin: 0 } }).notes).toEqual([
      "No number of users settles a margin of 0 if the variants are alike.",
    ]);
    expect(firstRow({ usersPerDay: 0.1 }).notes).toEqual([
      "In 14 days, an arm has no user that counts, so no effect of any size can be found.",
    ]);
    expect(notes({ metric: { windowDays: 7 }, days: 1 })).toMatch(/ In 1 day, an arm has no user/);
    const few = { usersPerDay: 2, metric: { ...binary, targetEffect: 0.01 } };
    expect(firstRow({ ...few, baseline: share(0.95) }).notes).toEqual([
      "In 14 days, not even a share of 1 differs enough from control's to be found.",
    ]);
    expect(notes({ ...few, metric: { ...few.metric, desired: "decrease" }, baseline: share(0.05) })).toMatch(
      /a share of 0 differs/,
    );
  });

  test("are empty when there is nothing to add", () => {
    expect(firstRow({}).notes).toEqual([]);
    expect(firstRow({ usersPerDay: null })).toMatchObject({ mde: null, notes: [] });
    expect(firstRow({ metric: { kind: "ordinal", margin: 0 } }).notes).toHaveLength(1);
  });
});

describe("smaller units", () => {
  const gain = { unit: "conversation", unitsPerUser: 4, correlation: 0.5, gain: 2.5 } as const;
  const gains = new Map([["m", [gain]]]);
  const unitsOf = (situation: Situation) => plan({ gains, ...situation }).rows[0]!.smallerUnits;

  test("need as many days fewer, apart from the window", () => {
    const [users] = plan({ gains }).rows;
    const days = users!.needed!.usersTotal / 2.5 / 100;
    expect(unitsOf({})).toEqual([{ ...gain, days: Math.ceil(days) }]);
    expect(unitsOf({ metric: { windowDays: 7 } })).toEqual([{ ...gain, days: Math.ceil(days + 7) }]);
  });

  test.each<[string, Situation]>([
    ["the users per day", { usersPerDay: null }],
    ["the baseline", { baseline: null }],
    ["a number of users that is enough", { baseline: mean(0, 4) }],
  ])("have a gain but no days without %s", (_, situation) => {
    expect(unitsOf(situation)).toEqual([{ ...gain, days: null }]);
  });

  test("are absent where nothing is known of them", () => {
    expect(unitsOf({ gains: new Map() })).toEqual([]);
    expect(plan({}).rows[0]!.smallerUnits).toEqual([]);
  });
});
