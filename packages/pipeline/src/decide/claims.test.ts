import { type Claim, dayOf, type MetricResult } from "@assay/domain";
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

describe("a family of claims", () => {
  test("has Benjamini–Hochberg's level: two together may claim what one alone may not", () => {
    // At the planned end, z must reach 2.24 for one claim alone, and 1.96 for both together.
    const last = { isLast: true };
    const [near, far] = [rowOf("near", 10.093), rowOf("far", 10.15)];
    const met = (rows: readonly MetricResult[]) => better(rows, last).map(({ metOn }) => metOn !== null);
    expect(met([near, rowOf("none", 10)])).toEqual([false, false]);
    expect(met([near, far])).toEqual([true, true]);
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
});
