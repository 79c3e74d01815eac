import { DAY_MS, dayOf, type MetricResult } from "@assay/domain";
import { describe, expect, test } from "vitest";
import { toNight } from "../nights.ts";
import type { Night } from "../run-frame.ts";
import { normals, sums, users } from "../test-support/arms.ts";
import { codes, exposure, manual, metric, run, until } from "../test-support/runs.ts";

const two = (treatmentMean: number) => [
  sums({ metric: "m", arm: "control" }, 1000, { mean: 10, variance: 4 }),
  sums({ metric: "m", arm: "treatment" }, 1000, { mean: treatmentMean, variance: 4 }),
];
const night = (pValueSeq: number | null, change = {}): Night => ({
  units: 2_000,
  rows: {
    "m::treatment": {
      metricVersion: 1,
      users: 1000,
      standardError: 0.1,
      pValueSeq,
      isCalibrated: false,
      ...change,
    },
  },
});
const rowOf = (mean: number, change: Parameters<typeof run>[2] = {}, targetEffect = 0.05) =>
  run({ metrics: [metric("m", { targetEffect })] }, { metrics: two(mean) }, change).results["m::treatment"]!;

describe("the always-valid p-value", () => {
  test("is the smallest of the nights so far", () => {
    const alone = rowOf(10).pValueSeq;
    expect(alone).toBe(1);
    expect(rowOf(10, { nights: [night(0.3), night(0.02), night(0.4)] }).pValueSeq).toBe(0.02);
    expect(rowOf(10.5, { nights: [night(0.3)] }).pValueSeq).toBeLessThan(1e-3);
  });

  test("starts anew with a new version of the metric or with labels, and skips nights without one", () => {
    const others = [night(0.02, { metricVersion: 2 }), night(0.02, { isCalibrated: true })];
    expect(rowOf(10, { nights: [...others, night(null), { units: 0, rows: {} }] }).pValueSeq).toBe(1);
  });

  test("is corrected over the rows by its evidence of this run alone", () => {
    const metrics = ["m", "n"].map((name) => metric(name));
    const data = [...two(10.5), ...two(10).map((row) => ({ ...row, metric: "n" }))];
    const { results } = run({ metrics }, { metrics: data }, { nights: [night(1e-30)] });
    const row = results["m::treatment"]!;
    const now = rowOf(10.5).pValueSeq!;
    expect(row.pValueSeq).toBe(1e-30);
    expect(row.pValueSeqFdr).toBeCloseTo(2 * now, 12);
    expect(results["n::treatment"]!.pValueSeqFdr).toBe(1);
  });
});

test("nothing carries over from an earlier version of the metric: p-value, interval and forecast are those of a first night", () => {
  const again = metric("m", { metricVersion: 2, targetEffect: 0.01 });
  const rowAfter = (nights: readonly Night[]) =>
    run({ metrics: [again] }, { metrics: two(10.05) }, { nights }).results["m::treatment"]!;
  const earlier = Array.from({ length: 8 }, (_, index) =>
    night(1e-20, { users: 250 * (index + 1), standardError: (index + 1) ** -0.35 }),
  );
  expect(rowAfter(earlier)).toEqual(rowAfter([]));
  // The same nights count if they have this version.
  const own = earlier.map(
    ({ units, rows }): Night => ({
      units,
      rows: { "m::treatment": { ...rows["m::treatment"]!, metricVersion: 2 } },
    }),
  );
  const { pValueSeq, daysToGo } = rowAfter(own);
  expect(pValueSeq).toBe(1e-20);
  expect(daysToGo).not.toEqual(rowAfter([]).daysToGo);
});

describe("the selection-adjusted interval", () => {
  test("exists for significant rows only, and is wider than 95 % when other rows are not significant", () => {
    const metrics = ["m", "n", "o"].map((name) => metric(name));
    const others = ["n", "o"].flatMap((name) => two(10).map((row) => ({ ...row, metric: name })));
    const { results } = run({ metrics }, { metrics: [...two(10.5), ...others] });
    const row = results["m::treatment"]!;
    const growth = (row.ciSelectedHigh! - row.effect) / (row.ciHigh! - row.effect);
    expect(growth).toBeCloseTo(2.39398 / 1.959964, 2); // normal quantiles at 1 - .05 / 3 / 2 and .975
    expect(results["n::treatment"]).toMatchObject({ ciSelectedLow: null, ciSelectedHigh: null });
  });

  test("is the 95 % interval when every row is significant", () => {
    const row = rowOf(10.5);
    expect(row.ciSelectedLow).toBeCloseTo(row.ciLow!, 12);
  });
});

describe("the smallest detectable effect", () => {
  test("is the plain one for one row; the conservative one is larger for several", () => {
    const row = rowOf(10);
    expect(row.mdeCorrected).toBeCloseTo(row.mde!, 12);
    const metrics = ["m", "n"].map((name) => metric(name));
    const data = [...two(10), ...two(10).map((other) => ({ ...other, metric: "n" }))];
    const { results } = run({ metrics }, { metrics: data });
    // z(1 - .0125) + z(.8) against z(1 - .025) + z(.8)
    expect(results["m::treatment"]!.mdeCorrected! / row.mde!).toBeCloseTo(
      (2.2414 + 0.84162) / (1.95996 + 0.84162),
      4,
    );
  });

  /** 100 users per arm and day over the last `days` days. */
  const steady = (days: number) => {
    const usersByDay = new Map(
      Array.from({ length: days }, (_, index) => [dayOf(until - (days - index) * DAY_MS), 100] as const),
    );
    return ["control", "treatment"].map((arm) => exposure(arm, 1000, { usersByDay }));
  };

  test("days to go aim at the metric's target effect, at the pace of the last week", () => {
    const targetEffect = 0.01; // of 10: .1, against a standard error of .0894 now
    const { results } = run(
      { metrics: [metric("m", { targetEffect })] },
      { metrics: two(10), exposures: steady(10) },
    );
    const { daysToGo } = results["m::treatment"]!;
    const wanted = 0.1 / 2.8015852;
    const days = (2000 * ((Math.sqrt(0.008) / wanted) ** 2 - 1)) / 200;
    expect(daysToGo).toEqual({
      targetEffect: expect.closeTo(0.1, 12),
      days: expect.closeTo(days, 3),
      daysLow: expect.closeTo(days, 3),
      daysHigh: expect.closeTo(days, 3),
    });
  });

  test("the forecast is about the arms that are compared", () => {
    const metrics = [metric("m", { targetEffect: 0.01 })];
    const other = exposure("other", 9_000, { usersByDay: new Map([[dayOf(until - DAY_MS), 9_000]]) });
    const forecastOf = (exposures: ReturnType<typeof steady>) => {
      const arms = exposures.map(({ arm }) => arm);
      const all = exposures.reduce((sum, { users }) => sum + users, 0);
      const shares = Object.fromEntries(exposures.map(({ arm, users }) => [arm, users / all]));
      const alike = arms.map((arm) => ({ ...two(10)[0]!, arm }));
      return run({ metrics, arms }, { metrics: alike, exposures }, { periods: [{ startsAt: 0, shares }] })
        .results["m::treatment"]!.daysToGo;
    };
    const alone = forecastOf(steady(10));
    expect(alone).not.toBeNull();
    expect(forecastOf([...steady(10), other])).toEqual(alone);
  });

  test("the forecast ignores nights without a standard error", () => {
    const forecastOf = (nights: readonly Night[]) => rowOf(10, { nights }, 0.01).daysToGo;
    expect(forecastOf([night(null, { standardError: null })])).toEqual(forecastOf([]));
    expect(forecastOf([])).not.toBeNull();
  });

  test("days before the first user do not count as empty ones; a quiet week gives no forecast", () => {
    const forecastOf = (exposures: ReturnType<typeof steady>) =>
      run({ metrics: [metric("m", { targetEffect: 0.01 })] }, { metrics: two(10), exposures }).results[
        "m::treatment"
      ]!.daysToGo;
    expect(forecastOf(steady(2))?.days).toBeCloseTo(forecastOf(steady(10))!.days!, 9);
    const long = new Map([[dayOf(until - 30 * DAY_MS), 1000]]);
    const quiet = ["control", "treatment"].map((arm) => exposure(arm, 1000, { usersByDay: long }));
    expect(forecastOf(quiet)).toMatchObject({ days: null, daysLow: null, daysHigh: null });
  });

  test("a rank test aims at a probability of .55, whatever the target of the metric", () => {
    const normal = normals(1);
    const list = () => Array.from({ length: 300 }, () => ({ y: 5 + normal() }));
    const data = ["control", "treatment"].map((arm) => users({ metric: "m", arm }, list()));
    const ordinal = metric("m", { kind: "ordinal", targetEffect: 0.3 });
    const row = run({ metrics: [ordinal] }, { metrics: data }).results["m::treatment"]!;
    expect(row.test).toBe("mann_whitney_u");
    expect(row.daysToGo).toMatchObject({ targetEffect: 0.05 });
    expect(row.shift).not.toBeNull();
  });
});

test("a p-value at its floor that cannot pass the correction gets a remark", () => {
  const normal = normals(2);
  const list = (mean: number) => Array.from({ length: 60 }, () => ({ y: mean + normal() }));
  const names = Array.from({ length: 40 }, (_, index) => `m${index}`);
  const data = names.flatMap((name, index) => [
    users({ metric: name, arm: "control" }, list(0)),
    users({ metric: name, arm: "treatment" }, list(index === 0 ? 9 : 0)),
  ]);
  const results = run(
    { metrics: names.map((name) => metric(name)) },
    { metrics: data.map((row) => ({ ...row, events: 500 })) },
    { limits: { maxPermutations: 200, maxSamplePerArm: 1000, monthlyJudgeEvaluations: null } },
  );
  expect(results.results["m0::treatment"]).toMatchObject({
    pFloor: true,
    significant: false,
    permutationsUsed: 200,
  });
  expect(codes(results)).toContain("permutations-too-few");
});

test("a night keeps what later runs need, also for rows stored without a standard error", () => {
  const row = rowOf(10);
  const { standardError, ...old } = row;
  const { srm } = run({ metrics: [metric("m")] }, { metrics: two(10) });
  const { units, rows } = toNight({ srm, results: { new: row, old: old as MetricResult } });
  expect(units).toBe(2_000);
  const kept = { metricVersion: 1, users: 2000, pValueSeq: 1, isCalibrated: false };
  expect(rows).toEqual({ new: { ...kept, standardError }, old: { ...kept, standardError: null } });
});

test.each([
  { what: "whole days at night", until: until, days: 1 },
  { what: "the exact time in between", until: until + DAY_MS / 2, days: 0.5 + 1 / 24 },
])("the window is $what", ({ until: to, days }) => {
  expect(rowOf(10, { until: to, label: manual }).windowDays).toBeCloseTo(days, 12);
});

describe("a rare share in unequal arms", () => {
  const shares = (control: readonly [number, number], treatment: readonly [number, number]) => {
    const counted = (arm: string, [successes, n]: readonly [number, number]) => {
      const mean = successes / n;
      return sums({ metric: "m", arm }, n, { mean, variance: (mean * (1 - mean) * n) / (n - 1) });
    };
    return run(
      { metrics: [metric("m", { kind: "binary" })] },
      {
        exposures: [exposure("control", control[1]), exposure("treatment", treatment[1])],
        metrics: [counted("control", control), counted("treatment", treatment)],
      },
      { periods: [{ startsAt: 0, shares: { control: 0.95, treatment: 0.05 } }] },
    ).results["m::treatment"]!;
  };

  test("has no always-valid evidence while the small arm expects fewer than 10 cases: 0 of 200 is not significant", () => {
    const row = shares([19, 3_800], [0, 200]);
    expect(row).toMatchObject({ test: "fisher_exact", ciSeqLow: null, ciSeqHigh: null, pValueSeq: null });
    expect(row.pValueSeqFdr).toBeNull();
    expect(row.pValue).toBeGreaterThan(0.6);
    expect(row.standardError).toBeGreaterThan(0);
  });

  test("then has that of the score statistic: 3 of 400 is not significant either", () => {
    const row = shares([197, 7_600], [3, 400]);
    expect(row).toMatchObject({ test: "two_proportion_z" });
    expect(row.pValueSeq).toBeGreaterThan(0.05);
    expect(row.ciSeqLow).toBeLessThan(0);
    expect(row.ciSeqHigh).toBeGreaterThan(0);
  });
});
