import { type Claim, dayOf, type MetricResult } from "@assay/domain";
import { adjustFdr, normalQuantile } from "@assay/stats";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sums } from "../test-support/arms.ts";
import { experimentOf, metric, run } from "../test-support/runs.ts";
import { claimsOf, type Look } from "./claims.ts";

const plan = experimentOf([]).config.plan;
const look: Look = { plan, isLook: true, isLast: false, isOver: false, day: dayOf(0) };

/** A row of 1,000 users per arm with a spread of 1, for a metric with a margin and a target. */
function rowOf(name: string, treatment: number, change: Partial<MetricResult> = {}): MetricResult {
  const bounded = metric(name, { margin: 0.2, targetEffect: 0.01 });
  const means = [10, treatment];
  const metrics = ["control", "treatment"].map((arm, index) =>
    sums({ metric: name, arm }, 1_000, { mean: means[index]! }),
  );
  const row = run({ metrics: [bounded] }, { metrics }).results[`${name}::treatment`]!;
  return { ...row, ...change };
}

const better = (rows: readonly MetricResult[], change: Partial<Look> = {}, earlier: readonly Claim[] = []) =>
  claimsOf({ better: rows, bounded: [] }, earlier, { ...look, ...change });
const notWorse = (rows: readonly MetricResult[], change: Partial<Look> = {}) =>
  claimsOf({ better: [], bounded: rows }, [], { ...look, ...change });

const ahead = rowOf("m", 10.1);

describe("a family of claims", () => {
  test("has Benjamini–Hochberg's level: two together may claim what one alone may not", () => {
    // At the planned end, z must reach 2.24 for one claim alone, and 1.96 for both together.
    const last = { isLast: true };
    const [near, far] = [rowOf("near", 10.093), rowOf("far", 10.15)];
    const met = (rows: readonly MetricResult[]) => better(rows, last).map(({ metOn }) => metOn !== null);
    expect(met([near, rowOf("none", 10)])).toEqual([false, false]);
    expect(met([near, far])).toEqual([true, true]);
  });

  test("claims at the planned end what Benjamini–Hochberg's correction finds", () => {
    const pValues = fc.array(fc.constantFrom(0.004, 0.012, 0.013, 0.02, 0.03, 0.036, 0.04, 0.2), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(pValues, (list) => {
        const rows = list.map((pValue, i) => ({ ...ahead, metric: `m${i}`, pValue }));
        const claims = better(rows, { isLast: true });
        expect(claims.map(({ metOn }) => metOn !== null)).toEqual(
          adjustFdr(list).map((p) => p <= plan.alpha),
        );
      }),
      { numRuns: 50 },
    );
  });

  test("plans its information for alpha divided by its members", () => {
    // The target is 1% of 10.
    const standardErrors = 0.1 / ahead.standardError!;
    for (const members of [1, 2, 4]) {
      const rows = Array.from({ length: members }, (_, i) => ({ ...ahead, metric: `m${i}` }));
      const [claim] = better(rows);
      const planned = normalQuantile(1 - plan.alpha / members / 2) + normalQuantile(plan.power);
      expect(claim!.fractions[0]).toBeCloseTo((standardErrors / planned) ** 2, 9);
    }
  });
});

describe("a claim that the treatment is better", () => {
  test.each([
    { pValue: 0.05, effect: 1, z: 1.959964 },
    { pValue: 0.05, effect: -1, z: -1.959964 },
    { pValue: 0.001, effect: 1, z: 3.290527 },
  ])("with p = $pValue and effect $effect is $z deviates ahead", ({ z, ...change }) => {
    expect(better([{ ...ahead, ...change }])[0]!.z).toBeCloseTo(z, 6);
  });

  test("is not met while the information is so small that nothing may be spent", () => {
    const [claim] = better([{ ...ahead, standardError: 1, pValue: 1e-12 }]);
    expect(claim).toMatchObject({ boundary: null, metOn: null });
    expect(claim!.fractions).toHaveLength(1);
  });

  test.each<{ what: string; change: Partial<Look>; isForecast: boolean }>([
    { what: "between the looks", change: {}, isForecast: true },
    { what: "at its last look", change: { isLast: true }, isForecast: false },
    { what: "before the first", change: { isLook: false }, isForecast: false },
    { what: "without futility", change: { plan: { ...plan, futility: false } }, isForecast: false },
    { what: "of a fixed plan", change: { plan: { ...plan, looks: "fixed" } }, isForecast: false },
    { what: "always valid", change: { plan: { ...plan, looks: "always_valid" } }, isForecast: false },
  ])("says how likely it still is, if it is not met: $what: $isForecast", ({ change, isForecast }) => {
    const [open] = better([{ ...ahead, pValue: 0.9 }], change);
    expect(open!.metOn).toBeNull();
    expect(open!.conditionalPower !== null).toBe(isForecast);
    expect(notWorse([withMargin(0.05)], change)[0]).toMatchObject({
      conditionalPower: null,
      isUnlikely: false,
    });
  });

  test("is unlikely when it is far behind, and not when it is on its way", () => {
    const isUnlikely = (pValue: number, effect: number) =>
      better([{ ...ahead, pValue, effect }])[0]!.isUnlikely;
    expect([isUnlikely(0.01, -0.1), isUnlikely(0.1, 0.1)]).toEqual([true, false]);
  });
});

describe("a claim without a target or a margin to plan for", () => {
  test.each([
    { what: "a row without a target effect", claims: better([rowOf("m", 11, { daysToGo: null })]) },
    {
      what: "a margin of 0",
      claims: notWorse([withMargin(0)]),
    },
    { what: "a row without a spread", claims: better([rowOf("m", 11, { standardError: null })]) },
  ])("has its only look at the planned end: $what", ({ claims }) => {
    expect(claims[0]).toMatchObject({ fractions: [], boundary: null, metOn: null });
  });

  test("has its look at the planned end", () => {
    const [claim] = better([rowOf("m", 11, { daysToGo: null })], { isLast: true });
    expect(claim).toMatchObject({ fractions: [1], metOn: look.day });
  });
});

function withMargin(margin: number, worstLoss: number | null = 0.1): MetricResult {
  return rowOf("m", 10, { nonInferiority: { margin, worstLoss, isNotWorse: false, isNotWorseSeq: false } });
}

describe("a claim that the treatment is not worse", () => {
  test("needs a row with an interval, and values that a few users do not dominate", () => {
    expect(notWorse([withMargin(0.2, null)])[0]!.z).toBeNull();
    const row = withMargin(0.2);
    expect(notWorse([{ ...row, effect: -0.1, nonInferiority: row.nonInferiority }])[0]!.z).toBeNull();
    expect(notWorse([withMargin(0.2)])[0]!.z).toBeCloseTo(3.92, 2);
  });
});

test("a night with little new information is not a look", () => {
  const first = better([rowOf("m", 10.01)]);
  const second = better([rowOf("m", 10.01)], {}, first);
  expect(second[0]!.fractions).toEqual(first[0]!.fractions);
  const surprising = better([{ ...rowOf("m", 10.01), pValue: 1e-12 }], {}, first);
  expect(surprising[0]!.metOn).toBeNull();
});
