import type { AllocationPeriod } from "@assay/domain";
import { describe, expect, test } from "vitest";
import { callers, calls, normals, sums, users } from "../test-support/arms.ts";
import { codes, metric, run } from "../test-support/runs.ts";
import { armData, comparablePeriods } from "./arm-data.ts";

const N = 300;
const control = { metric: "m", arm: "control" };
const treatment = { metric: "m", arm: "treatment" };

describe("over allocation periods", () => {
  /**
   * Treatment 10% at a base rate of 5%, then 50% at 4%: no effect in either period, but a large one in the pooled
   * rates.
   */
  const ramp = {
    periods: [
      { startsAt: 0, shares: { control: 0.9, treatment: 0.1 } },
      { startsAt: 9, shares: { control: 0.5, treatment: 0.5 } },
    ],
  };
  const rate = (arm: string, period: number, count: number, mean: number) =>
    sums({ metric: "m", arm, period }, count, { mean, variance: mean * (1 - mean) });
  const exposures = (counts: readonly (readonly [string, number, number])[]) =>
    counts.map(([arm, period, count]) => ({
      arm,
      period,
      users: count,
      testUsers: 0,
      contaminatedUsers: 0,
      heavyUsers: 0,
      usersByDay: new Map(),
    }));

  test("arms are compared within each, so a drifting base rate does not look like an effect", () => {
    const results = run(
      { metrics: [metric("m", { kind: "binary" })] },
      {
        exposures: exposures([
          ["control", 0, 9000],
          ["treatment", 0, 1000],
          ["control", 1, 5000],
          ["treatment", 1, 5000],
        ]),
        metrics: [
          rate("control", 0, 9000, 0.05),
          rate("treatment", 0, 1000, 0.05),
          rate("control", 1, 5000, 0.04),
          rate("treatment", 1, 5000, 0.04),
        ],
      },
      ramp,
    );
    const row = results.results["m::treatment"]!;
    expect(row).toMatchObject({ periods: 2, test: "two_proportion_z" });
    expect(row.effect).toBeCloseTo(0, 12);
    expect(row.controlValue).toBeCloseTo(0.045, 12);
    expect(codes(results)).toEqual(["allocation-changed"]);
  });

  test("a period with few users in an arm is left out, with a remark", () => {
    const results = run(
      { metrics: [metric("m", { kind: "binary" })] },
      {
        exposures: exposures([
          ["control", 0, 180],
          ["treatment", 0, 20],
          ["control", 1, 500],
          ["treatment", 1, 500],
        ]),
        metrics: [
          rate("control", 0, 180, 0.5),
          rate("treatment", 0, 20, 0.5),
          rate("control", 1, 500, 0.4),
          rate("treatment", 1, 500, 0.5),
        ],
      },
      ramp,
    );
    expect(results.results["m::treatment"]).toMatchObject({
      periods: 1,
      nPerArm: { control: 500, treatment: 500 },
    });
    expect(results.results["m::treatment"]!.effect).toBeCloseTo(0.1, 12);
    expect(results.health).toContainEqual(
      expect.objectContaining({
        ...{ code: "period-left-out", severity: "info", detail: expect.stringContaining("200 users") },
      }),
    );
  });

  test("a treatment that came later is compared with the control users of its own time", () => {
    const normal = normals(3);
    const list = (count: number, mean: number) =>
      Array.from({ length: count }, () => ({ y: mean + normal() }));
    const results = run(
      { metrics: [metric("m")] },
      {
        exposures: exposures([
          ["control", 0, 400],
          ["control", 1, 300],
          ["treatment", 1, 300],
        ]),
        metrics: [
          users({ ...control, period: 0 }, list(400, 50)),
          users({ ...control, period: 1 }, list(300, 10)),
          users({ ...treatment, period: 1 }, list(300, 10)),
        ],
      },
      { periods: [{ startsAt: 0, shares: { control: 1 } }, ramp.periods[1]!] },
    );
    const row = results.results["m::treatment"]!;
    expect(row.nPerArm).toEqual({ control: 300, treatment: 300 });
    expect(Math.abs(row.effect)).toBeLessThan(0.5);
    expect(codes(results)).toContain("period-left-out");
  });

  test("periods with equal ratios are one: users of both are compared together", () => {
    const half: readonly AllocationPeriod[] = [
      { startsAt: 0, shares: { control: 0.5, treatment: 0.5 } },
      { startsAt: 9, shares: { control: 0.25, treatment: 0.25, other: 0.5 } },
    ];
    const normal = normals(4);
    const list = () => Array.from({ length: 150 }, () => ({ y: normal() }));
    const data = [0, 1].flatMap((period) => [
      users({ ...control, period }, list()),
      users({ ...treatment, period }, list()),
    ]);
    const results = run(
      { metrics: [metric("m")] },
      {
        exposures: exposures([
          ["control", 0, 150],
          ["treatment", 0, 150],
          ["control", 1, 150],
          ["treatment", 1, 150],
          ["other", 1, 300],
        ]),
        metrics: data,
      },
      { periods: half },
    );
    expect(results.results["m::treatment"]).toMatchObject({
      periods: 1,
      nPerArm: { control: 300, treatment: 300 },
    });
  });

  test("quantiles of several periods with equal ratios read all of their calls", () => {
    const data = [0, 1].flatMap((period) => [
      callers({ ...control, period }, calls(5 + period)),
      callers({ ...treatment, period }, calls(7 + period, 1)),
    ]);
    const counts = [0, 1].flatMap(
      (period) =>
        [
          ["control", period, N],
          ["treatment", period, N],
        ] as const,
    );
    const results = run(
      { metrics: [metric("m", { kind: "quantile", quantile: 0.5 })] },
      { exposures: exposures(counts), metrics: data },
      { periods: [0, 9].map((startsAt) => ({ startsAt, shares: { control: 0.5, treatment: 0.5 } })) },
    );
    const row = results.results["m::treatment"]!;
    expect(row.nPerArm).toEqual({ control: 2 * N, treatment: 2 * N });
    expect(row.effect).toBeGreaterThan(0.7);
    expect(row.effect).toBeLessThan(1.3);
  });

  test("a share with few successes is permuted within the periods", () => {
    const results = run(
      { metrics: [metric("m", { kind: "binary", methodDefault: "fisher_exact" })] },
      {
        exposures: exposures([
          ["control", 0, 900],
          ["treatment", 0, 100],
          ["control", 1, 500],
          ["treatment", 1, 500],
        ]),
        metrics: [
          rate("control", 0, 900, 0.01),
          rate("treatment", 0, 100, 0.01),
          rate("control", 1, 500, 0.008),
          rate("treatment", 1, 500, 0.01),
        ],
      },
      ramp,
    );
    expect(results.results["m::treatment"]).toMatchObject({ test: "permutation", periods: 2 });
  });
});

test("a period without one of the arms is in no group", () => {
  const shares: readonly Readonly<Record<string, number>>[] = [
    { control: 1, treatment: 1 },
    { control: 1 },
    { treatment: 1 },
    { control: 1, treatment: 0 },
  ];
  const periods = shares.map((share, startsAt): AllocationPeriod => ({ startsAt, shares: share }));
  expect(comparablePeriods(periods, { control: "control", treatment: "treatment" })).toEqual([[0]]);
});

test("an arm's moments are exactly those of its users", () => {
  expect(armData([], [0])).toEqual({
    users: 0,
    moments: { n: 0, meanY: 0, meanD: 0, m2Y: 0, m2D: 0, cYD: 0 },
    values: null,
    bins: null,
  });
  const row = { ...sums(control, 40, { mean: 3, variance: 2 }), meanD: 5, m2D: 7, cYD: 11 };
  expect(armData([row], [0]).moments).toEqual({ n: 40, meanY: 3, meanD: 5, m2Y: 78, m2D: 7, cYD: 11 });
});

test("users keep their own calls when periods are merged", () => {
  const list = calls(3);
  const parts = [list.slice(0, 100), list.slice(100, 101), list.slice(101)];
  const rows = parts.map((part, period) => callers({ metric: "m", arm: "control", period }, part));
  const together = callers(control, list).sample;
  expect(armData(rows, [0, 1, 2]).bins).toEqual(together);
});
