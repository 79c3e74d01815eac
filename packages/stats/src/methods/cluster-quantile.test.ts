import { describe, expect, test } from "vitest";
import { inNight } from "../../../../tests/in-night.ts";
import { studentTQuantile } from "../distributions/student-t.ts";
import { fineBin } from "../histogram.ts";
import { createUniform } from "../random.ts";
import { clusterQuantile } from "./cluster-quantile.ts";
import type { ClusterBins } from "./indexed-bins.ts";

type Calls = readonly number[];

function toBins(users: readonly Calls[]): ClusterBins {
  const entries = users.map((calls) => {
    const counts = new Map<number, number>();
    for (const call of calls) counts.set(fineBin(call), (counts.get(fineBin(call)) ?? 0) + 1);
    return [...counts].sort(([a], [b]) => a - b);
  });
  const offsets = new Uint32Array(users.length + 1);
  for (const [user, { length }] of entries.entries()) offsets[user + 1] = offsets[user]! + length;
  return {
    bins: Int32Array.from(entries.flat(), ([bin]) => bin),
    counts: Uint32Array.from(entries.flat(), ([, count]) => count),
    offsets,
  };
}

const quantileOf = (control: readonly Calls[], treatment: readonly Calls[], quantile: number) =>
  clusterQuantile([{ control: toBins(control), treatment: toBins(treatment) }], {
    quantile,
    permutations: 999,
    seed: 1,
  });

/** Draws users with individual levels and very different numbers of calls. */
function drawUsers(uniform: () => number, n: number, scale = 1): Calls[] {
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  return Array.from({ length: n }, () => {
    const level = 800 * scale * Math.exp(0.4 * normal());
    const calls = 1 + Math.floor(-4 * Math.log(1 - uniform()));
    return Array.from({ length: calls }, () => level * Math.exp(0.5 * normal()));
  });
}

/** The same estimate on raw values. */
function rawQuantile(users: readonly Calls[], quantile: number) {
  const all = users.flat().sort((a, b) => a - b);
  const at = (share: number) => all[Math.ceil(share * all.length) - 1]!;
  const value = at(quantile);
  const gaps = users.map((calls) => calls.filter((x) => x <= value).length - quantile * calls.length);
  const n = users.length;
  const spread = gaps.reduce((sum, gap) => sum + gap * gap, 0) * (n / (n - 1) / all.length ** 2);
  const reach = 1.959963984540054 * Math.sqrt(spread);
  return { value, standardError: (at(quantile + reach) - at(quantile - reach)) / 3.919927969080108 };
}

describe("clusterQuantile", () => {
  test.each([0.5, 0.9, 0.95])("of %d from bins matches that of the raw values", (quantile) => {
    const uniform = createUniform(3);
    const [control, treatment] = [drawUsers(uniform, 4_000), drawUsers(uniform, 3_000, 1.05)];
    const [c, t] = [rawQuantile(control, quantile), rawQuantile(treatment, quantile)];
    const outcome = quantileOf(control, treatment, quantile)!;
    expect(Math.abs(outcome.controlValue / c.value - 1)).toBeLessThan(0.003);
    expect(Math.abs(outcome.treatmentValue / t.value - 1)).toBeLessThan(0.003);
    const standardError = Math.hypot(c.standardError, t.standardError);
    expect(Math.abs(outcome.standardError! / standardError - 1)).toBeLessThan(0.05);
    expect(outcome.test).toBe("cluster_quantile");
    expect(outcome.effect).toBe(outcome.treatmentValue - outcome.controlValue);
    expect(outcome.relative.effect).toBeCloseTo(outcome.effect / outcome.controlValue, 12);
    expect(outcome.relative.ciLow! > 0).toBe(outcome.ciLow! > 0);
  });

  test("swapping the arms flips effect and interval and keeps p", () => {
    const uniform = createUniform(4);
    const [a, b] = [drawUsers(uniform, 150), drawUsers(uniform, 120)];
    const [here, there] = [quantileOf(a, b, 0.9)!, quantileOf(b, a, 0.9)!];
    expect(there).toMatchObject({ effect: -here.effect, pValue: here.pValue });
    expect([there.ciLow, there.ciHigh]).toEqual([-here.ciHigh!, -here.ciLow!]);
  });

  test("negative values mirror positive ones", () => {
    const uniform = createUniform(5);
    const [a, b] = [drawUsers(uniform, 150), drawUsers(uniform, 120)];
    const negate = (users: readonly Calls[]) => users.map((calls) => calls.map((x) => -x));
    const [here, there] = [quantileOf(a, b, 0.25)!, quantileOf(negate(a), negate(b), 0.75)!];
    expect(there.effect).toBeCloseTo(-here.effect, 6);
    expect(there.standardError).toBeCloseTo(here.standardError!, 6);
    expect(there.relative.effect).toBeNull();
  });

  test("small arms get p from permuting users", () => {
    const uniform = createUniform(6);
    const [a, b] = [drawUsers(uniform, 60), drawUsers(uniform, 60, 3)];
    expect(quantileOf(a, b, 0.5)).toMatchObject({
      pValue: 1 / 1_000,
      permutationsUsed: 999,
      isAtFloor: true,
    });
    const equal = quantileOf(a, a, 0.5)!;
    expect(equal).toMatchObject({ effect: 0, pValue: 1, isAtFloor: false });
  });

  test("permutes however many users there are, and stops early where there is no effect", () => {
    const uniform = createUniform(8);
    const { permutationsUsed } = clusterQuantile(
      [{ control: toBins(drawUsers(uniform, 2_000)), treatment: toBins(drawUsers(uniform, 2_000)) }],
      { quantile: 0.9, permutations: 9_999, seed: 1 },
    )!;
    expect(permutationsUsed).toBeGreaterThan(0);
    expect(permutationsUsed).toBeLessThan(9_999);
  });
});

describe("with heavy users", () => {
  /** Calls ~ ⌊Pareto(1.1)⌋ with a ceiling; each user has their own level of latency. */
  const heavy = (uniform: () => number, n: number): Calls[] =>
    Array.from({ length: n }, () => {
      const level = 800 * Math.exp(0.8 * (uniform() + uniform() + uniform() - 1.5));
      const calls = Math.min(250, Math.floor((1 - uniform()) ** (-1 / 1.1)));
      return Array.from({ length: calls }, () => level * (0.9 + 0.2 * uniform()));
    });

  test("finds nothing in about 5 % of experiments without an effect, and its interval agrees", () => {
    const uniform = createUniform(21);
    const experiments = inNight(40, 200);
    let [runs, found, excluded] = [0, 0, 0];
    for (let k = 0; k < experiments; k++) {
      const outcome = quantileOf(heavy(uniform, 800), heavy(uniform, 800), 0.9);
      if (outcome === null) continue;
      runs++;
      found += Number(outcome.pValue <= 0.05);
      excluded += Number(outcome.ciLow! > 0 || outcome.ciHigh! < 0);
    }
    expect(runs).toBeGreaterThan(0.75 * experiments);
    // Four standard errors above 5 %.
    expect(found / runs).toBeLessThan(0.05 + 4 * Math.sqrt(0.0475 / runs));
    expect(excluded).toBeLessThanOrEqual(found);
  });

  test("has an interval that reflects the number of effective users", () => {
    const uniform = createUniform(22);
    const equal = Array.from({ length: 200 }, () => [100 * (1 + uniform()), 100 * (1 + uniform())]);
    const few = equal.map((calls, i) =>
      i < 12 ? new Array<Calls>(9).fill(calls).flat() : calls.slice(0, 1),
    );
    // This few permutations give no critical value.
    const criticalOf = (users: readonly Calls[]) =>
      clusterQuantile([{ control: toBins(users), treatment: toBins(users) }], {
        quantile: 0.4,
        permutations: 10,
        seed: 1,
      })!.criticalValue;
    const effective = (12 * 18 + 188) ** 2 / (12 * 18 ** 2 + 188);
    expect(criticalOf(equal)).toBeCloseTo(studentTQuantile(0.975, 2 * 199), 9);
    expect(criticalOf(few)).toBeCloseTo(studentTQuantile(0.975, 2 * (effective - 1)), 9);
  });

  test.each([
    { name: "a tenth", calls: 22, isTold: true },
    { name: "more than a tenth", calls: 23, isTold: false },
  ])("a user with $name of an arm's calls: a row is $isTold", ({ calls, isTold }) => {
    const uniform = createUniform(23);
    const one = () => Array.from({ length: 200 }, () => [100 * (1 + uniform())]);
    const ruled = [...one().slice(0, 198), new Array<number>(calls).fill(0).map(() => 150 * (1 + uniform()))];
    expect(quantileOf(one(), ruled, 0.5) !== null).toBe(isTold);
    expect(quantileOf(ruled, one(), 0.5) !== null).toBe(isTold);
  });
});

describe("over strata", () => {
  const uniform = createUniform(10);
  const options = { quantile: 0.9, permutations: 999, seed: 1 };

  test("doubling a stratum keeps its quantiles and halves its variance", () => {
    const one = { control: toBins(drawUsers(uniform, 4_000)), treatment: toBins(drawUsers(uniform, 3_000)) };
    const [once, twice] = [clusterQuantile([one], options)!, clusterQuantile([one, one], options)!];
    expect(twice.effect).toBeCloseTo(once.effect, 6);
    expect(twice.standardError! ** 2 / once.standardError! ** 2).toBeCloseTo(0.5, 1);
  });

  test("a ramp over drifting values is no effect", () => {
    const [few, many] = [drawUsers(uniform, 500), drawUsers(uniform, 4_500)];
    const [before, after] = [drawUsers(uniform, 2_500, 2), drawUsers(uniform, 2_500, 2)];
    const strata = [
      { control: toBins(many), treatment: toBins(few) },
      { control: toBins(before), treatment: toBins(after) },
    ];
    expect(clusterQuantile(strata, { ...options, quantile: 0.5 })!.pValue).toBeGreaterThan(0.01);
    const pooled = { control: toBins([...many, ...before]), treatment: toBins([...few, ...after]) };
    expect(clusterQuantile([pooled], { ...options, quantile: 0.5 })!.isAtFloor).toBe(true);
  });

  test("small arms are permuted within strata", () => {
    const small = () => ({
      control: toBins(drawUsers(uniform, 30)),
      treatment: toBins(drawUsers(uniform, 25)),
    });
    expect(
      clusterQuantile([small(), small()], { ...options, quantile: 0.5 })!.permutationsUsed,
    ).toBeGreaterThan(0);
  });
});

describe("without a quantile that can be estimated", () => {
  const uniform = createUniform(12);
  const users = drawUsers(uniform, 200);
  const constant = (value: number, n: number) => Array.from({ length: n }, () => [value, value]);
  const repeat = (value: number, times: number) => new Array<number>(times).fill(value);
  const mostlyZero = Array.from({ length: 200 }, (_, i) => [0, 0, i % 10]);
  const oneEach = (n: number) => Array.from({ length: n }, () => [1, 1000]);

  test("all calls in one bin are equal", () => {
    expect(quantileOf(constant(5, 50), constant(5, 40), 0.5)).toMatchObject({
      statistic: null,
      pValue: 1,
      effect: 0,
      ciLow: null,
      ciHigh: null,
      standardError: null,
      criticalValue: null,
      permutationsUsed: 0,
    });
    expect(quantileOf(constant(0, 50), constant(0, 40), 0.5)).toMatchObject({ pValue: 1, controlValue: 0 });
  });

  test.each([
    { name: "fewer than 10 users above it", outcome: quantileOf(users, users.slice(0, 99), 0.9) },
    { name: "fewer than 10 users below it", outcome: quantileOf(users.slice(0, 99), users, 0.1) },
    { name: "no users", outcome: quantileOf([], users, 0.5) },
    {
      name: "no calls",
      outcome: quantileOf(
        constant(1, 50).map(() => []),
        constant(1, 50).map(() => []),
        0.5,
      ),
    },
    {
      name: "no calls in control",
      outcome: quantileOf(
        users.map(() => []),
        users,
        0.5,
      ),
    },
    {
      name: "no calls in treatment beside one bin",
      outcome: quantileOf(
        constant(5, 50),
        constant(5, 50).map(() => []),
        0.5,
      ),
    },
    { name: "a point that holds its whole interval in control", outcome: quantileOf(mostlyZero, users, 0.3) },
    {
      name: "a point that holds its whole interval in treatment",
      outcome: quantileOf(users, mostlyZero, 0.3),
    },
    { name: "one bin per arm", outcome: quantileOf(constant(5, 200), constant(6, 200), 0.5) },
    { name: "users who are all alike in small arms", outcome: quantileOf(oneEach(50), oneEach(40), 0.5) },
    {
      name: "a bound that lies beyond all values",
      outcome: quantileOf([...users, repeat(1, 100_000), repeat(9_000, 100_000)], users, 0.5),
    },
    {
      name: "a stratum with one user in an arm",
      outcome: clusterQuantile(
        [
          { control: toBins(users), treatment: toBins(users) },
          { control: toBins([[1]]), treatment: toBins(users) },
        ],
        { quantile: 0.5, permutations: 99, seed: 1 },
      ),
    },
    {
      name: "no strata",
      outcome: clusterQuantile([], { quantile: 0.5, permutations: 99, seed: 1 }),
    },
  ])("$name give no outcome", ({ outcome }) => expect(outcome).toBeNull());

  test("10 users beyond it are enough", () => {
    expect(quantileOf(users.slice(0, 100), users, 0.9)).not.toBeNull();
  });

  test("values at the ends of the range have no outcome, and none is NaN", () => {
    const scaled = (scale: number) =>
      users.map((calls, i) => calls.map((x) => x * scale * (1 + (i % 3) / 10)));
    expect(quantileOf(scaled(1e140), users, 0.5)!.isAtFloor).toBe(true);
    expect(quantileOf(scaled(1e304), users, 0.5)).toBeNull();
    expect(quantileOf(scaled(1e-304), scaled(2e-304), 0.5)).toBeNull();
  });
});
