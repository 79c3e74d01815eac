import { describe, expect, test } from "vitest";
import { momentsOf, ratioMomentsOf } from "../moments.ts";
import { createUniform } from "../random.ts";
import { newcombeInterval, smallestExpectedCell } from "./proportions.ts";
import { ratioDelta } from "./ratio-delta.ts";
import { twoProportionZ } from "./two-proportion-z.ts";
import { welchT } from "./welch-t.ts";

const mean = (values: readonly number[]) => momentsOf(Float64Array.from(values));
const ratio = (y: readonly number[], d: readonly number[]) =>
  ratioMomentsOf({ y: Float64Array.from(y), d: Float64Array.from(d) });
const counts = (successes: number, n: number) => ({ successes, n });

const means = [
  { control: mean([1, 2, 4, 7, 3]), treatment: mean([2, 5, 4, 9]) },
  { control: mean([11, 14, 10]), treatment: mean([12, 15, 19, 13, 11, 17]) },
];
const ratios = [
  { control: ratio([2, 4, 1, 3, 8], [2, 3, 1, 3, 6]), treatment: ratio([3, 5, 1, 9], [2, 3, 1, 5]) },
  { control: ratio([5, 2, 9], [4, 1, 5]), treatment: ratio([4, 7, 2, 6, 3], [2, 4, 1, 4, 2]) },
];
const proportions = [
  { control: counts(20, 100), treatment: counts(35, 120) },
  { control: counts(50, 300), treatment: counts(9, 40) },
];

/**
 * numpy 2.4.6 and scipy 1.17.1 on the raw values: weights N_v / N, variance Σ w² s² / n over all arms and strata at once,
 * df = (Σ a)² / Σ a² / (n − 1), stats.t.sf and t.ppf; Wilson's limits by stats.binomtest(k, n).proportion_ci("wilson").
 */
describe("over strata", () => {
  test("welchT compares weighted means", () => {
    expect(welchT(means)).toMatchObject({
      test: "welch_t",
      controlValue: expect.closeTo(7.533333333333333, 13),
      treatmentValue: expect.closeTo(9.75, 13),
      standardError: expect.closeTo(1.2504443654601796, 13),
      pValue: expect.closeTo(0.10265019160172162, 12),
      ciLow: expect.closeTo(-0.5199611156654327, 11),
      ciHigh: expect.closeTo(4.953294448998767, 11),
    });
  });

  test("ratioDelta compares ratios of weighted means", () => {
    expect(ratioDelta(ratios)).toMatchObject({
      test: "ratio_delta",
      controlValue: expect.closeTo(1.3987577639751552, 13),
      treatmentValue: expect.closeTo(1.6619099890230515, 13),
      standardError: expect.closeTo(0.1361821086813646, 13),
      pValue: expect.closeTo(0.12334444621503002, 12),
    });
  });

  test("twoProportionZ pools within each and adds up Wilson's distances", () => {
    expect(twoProportionZ(proportions)).toMatchObject({
      test: "two_proportion_z",
      effect: expect.closeTo(0.07142857142857144, 14),
      statistic: expect.closeTo(1.5859618708555596, 12),
      pValue: expect.closeTo(0.11274795921716, 12),
      ciLow: expect.closeTo(-0.01026508993203755, 12),
      ciHigh: expect.closeTo(0.17474540786361753, 12),
    });
  });

  test("the smallest expected cell is that of the smallest table", () => {
    expect(smallestExpectedCell(proportions)).toBeCloseTo((40 * 59) / 340, 12);
  });

  test("the order of the strata changes nothing", () => {
    for (const [here, there] of [
      [welchT(means), welchT(means.toReversed())],
      [ratioDelta(ratios), ratioDelta(ratios.toReversed())],
      [twoProportionZ(proportions), twoProportionZ(proportions.toReversed())],
    ])
      expect(there!.pValue).toBeCloseTo(here!.pValue, 12);
  });

  test("doubling a stratum keeps its value and halves its variance", () => {
    const [stratum] = means;
    const [once, twice] = [welchT([stratum!]), welchT([stratum!, stratum!])];
    expect(twice!.effect).toBeCloseTo(once!.effect, 12);
    expect(twice!.standardError! ** 2).toBeCloseTo(once!.standardError! ** 2 / 2, 12);
  });

  test("a ramp over a drifting rate is no effect", () => {
    const uniform = createUniform(7);
    const draw = (n: number, rate: number) =>
      counts(Array.from({ length: n }, uniform).filter((u) => u < rate).length, n);
    let [stratified, pooled] = [0, 0];
    for (let run = 0; run < 500; run++) {
      const strata = [
        { control: draw(1_800, 0.25), treatment: draw(200, 0.25) },
        { control: draw(1_000, 0.2), treatment: draw(1_000, 0.2) },
      ];
      const total = (arm: "control" | "treatment") =>
        counts(
          strata.reduce((sum, stratum) => sum + stratum[arm].successes, 0),
          strata.reduce((sum, stratum) => sum + stratum[arm].n, 0),
        );
      if (twoProportionZ(strata)!.pValue < 0.05) stratified++;
      if (twoProportionZ([{ control: total("control"), treatment: total("treatment") }])!.pValue < 0.05)
        pooled++;
    }
    // 99.9 % of binomial(500, .05).
    expect(stratified).toBeLessThanOrEqual(42);
    expect(stratified).toBeGreaterThanOrEqual(10);
    expect(pooled).toBeGreaterThan(100);
  });

  test("intervals stay within −1 and 1", () => {
    const apart = { control: counts(0, 2), treatment: counts(3, 3) };
    const [, high] = newcombeInterval([apart, apart]);
    const [low] = newcombeInterval([{ control: apart.treatment, treatment: apart.control }]);
    expect([low, high]).toEqual([-1, 1]);
  });
});

describe("strata without spread", () => {
  const constant = (value: number, n: number) => mean(new Array<number>(n).fill(value));

  test.each([
    {
      name: "equal in all of them",
      strata: [
        { control: constant(1, 3), treatment: constant(1, 3) },
        { control: constant(5, 4), treatment: constant(5, 4) },
      ],
      pValue: 1,
      effect: 0,
    },
    {
      name: "different in one",
      strata: [
        { control: constant(1, 3), treatment: constant(2, 2) },
        { control: constant(5, 3), treatment: constant(5, 2) },
      ],
      pValue: 0.1,
      effect: 0.5,
    },
    {
      name: "different in both",
      strata: [
        { control: constant(1, 3), treatment: constant(2, 2) },
        { control: constant(5, 3), treatment: constant(6, 2) },
      ],
      pValue: 0.01,
      effect: 1,
    },
    {
      name: "differences that cancel",
      strata: [
        { control: constant(1, 3), treatment: constant(2, 2) },
        { control: constant(5, 3), treatment: constant(4, 2) },
      ],
      pValue: 1,
      effect: 0,
    },
  ])("$name permute exactly", ({ strata, pValue, effect }) => {
    expect(welchT(strata)).toMatchObject({
      test: "permutation",
      permutationsUsed: 0,
      isAtFloor: false,
      pValue: expect.closeTo(pValue, 9),
      effect: expect.closeTo(effect, 12),
    });
  });

  test("one such stratum does not prevent an outcome", () => {
    const strata = [{ control: constant(3, 4), treatment: constant(3, 5) }, means[0]!];
    expect(welchT(strata)).toMatchObject({ test: "welch_t", effect: expect.closeTo((1.6 * 9) / 18, 12) });
  });
});

test.each([
  { name: "means without strata", outcome: welchT([]) },
  { name: "ratios without strata", outcome: ratioDelta([]) },
  { name: "proportions without strata", outcome: twoProportionZ([]) },
  {
    name: "a stratum with one user in an arm",
    outcome: welchT([...means, { control: mean([1]), treatment: mean([1, 2]) }]),
  },
  {
    name: "a ratio without users in an arm",
    outcome: ratioDelta([...ratios, { control: ratio([], []), treatment: ratio([1, 2], [1, 1]) }]),
  },
  {
    name: "proportions without users in an arm",
    outcome: twoProportionZ([...proportions, { control: counts(0, 0), treatment: counts(1, 2) }]),
  },
])("$name have no outcome", ({ outcome }) => expect(outcome).toBeNull());
