import { describe, expect, test } from "vitest";
import { isNight } from "../../../../tests/in-night.ts";
import { createUniform } from "../random.ts";
import { intraUserCorrelation, unitGain, unitsOfOwner, varianceByUnit } from "./unit-gain.ts";

/** `m` units of each user, or of users in turn. */
interface Population {
  readonly users: number;
  readonly m: number | readonly number[];
  readonly rho: number;
}

const sizeOf = (m: Population["m"], user: number) => (typeof m === "number" ? m : m[user % m.length]!);

/** Scores of users with several units: levels of variance ρ and units of variance 1 − ρ. */
function draw(uniform: () => number, { users, m, rho }: Population) {
  // A sum of three uniforms is near normal; of twice what it differs from its mean, the variance is 1.
  const normal = () => 2 * (uniform() + uniform() + uniform() - 1.5);
  const [scores, clusters]: [number[], number[]] = [[], []];
  for (let user = 0; user < users; user++) {
    const level = Math.sqrt(rho) * normal();
    for (let i = 0; i < sizeOf(m, user); i++) {
      scores.push(level + Math.sqrt(1 - rho) * normal());
      clusters.push(user);
    }
  }
  return { scores: Float64Array.from(scores), clusters: Float64Array.from(clusters) };
}

/** Half of the numbers below n at random. */
function half(n: number, uniform: () => number): ReadonlySet<number> {
  const order = Array.from({ length: n }, (_, i) => ({ i, key: uniform() })).sort((a, b) => a.key - b.key);
  return new Set(order.slice(0, n / 2).map(({ i }) => i));
}

/** The mean square of the difference of means over experiments without an effect, per s² (1 / n_T + 1 / n_C). */
function simulate(population: Population, randomized: "users" | "units", experiments = 1_500): number {
  const { users, m } = population;
  const uniform = createUniform(users + 100 * sizeOf(m, 0) + (randomized === "users" ? 7 : 0));
  let squares = 0;
  for (let k = 0; k < experiments; k++) {
    const { scores, clusters } = draw(uniform, population);
    const chosen = half(randomized === "users" ? users : scores.length, uniform);
    const sums = { treated: 0, others: 0, treatedUnits: 0 };
    for (const [unit, score] of scores.entries()) {
      const isTreated = chosen.has(randomized === "users" ? clusters[unit]! : unit);
      sums[isTreated ? "treated" : "others"] += score;
      sums.treatedUnits += Number(isTreated);
    }
    const rest = scores.length - sums.treatedUnits;
    const difference = sums.treated / sums.treatedUnits - sums.others / rest;
    squares += difference ** 2 / (1 / sums.treatedUnits + 1 / rest);
  }
  return squares / experiments;
}

describe("the variance by unit", () => {
  test.each([
    { users: 20, m: 1, rho: 0.5 },
    { users: 20, m: 4, rho: 0.5 },
    { users: 12, m: 10, rho: 0.3 },
    { users: 4, m: 8, rho: 0.9 },
  ])("is that of simulated experiments: %j", (plan) => {
    const { users, units } = varianceByUnit({ unitsPerUser: plan.m, rho: plan.rho }, plan.users * plan.m);
    const [byUsers, byUnits] = [simulate(plan, "users"), simulate(plan, "units")];
    expect(byUsers / users).toBeGreaterThan(0.9);
    expect(byUsers / users).toBeLessThan(1.1);
    expect(byUnits / units).toBeGreaterThan(0.9);
    expect(byUnits / units).toBeLessThan(1.1);
  });

  test("is that of independent units if a user has one", () => {
    expect(varianceByUnit({ unitsPerUser: 1, rho: 0.7 }, 1)).toEqual({ users: 1, units: 1 });
  });

  const populations: readonly Population[] = [
    { users: 40, m: 2, rho: 0.2 },
    { users: 60, m: [1, 1, 2, 3, 5, 12], rho: 0.3 },
    { users: 40, m: 8, rho: 0.5 },
    { users: 120, m: [1, 1, 4, 10], rho: 0.5 },
  ];
  test.each(populations.slice(0, isNight() ? 4 : 2))(
    "gains what simulated experiments gain, from what the units of their users show: %j",
    (population) => {
      const { scores, clusters } = draw(createUniform(8), { ...population, users: 3_000 });
      const rho = intraUserCorrelation([{ scores, clusters }])!;
      const gain = unitGain({ unitsPerUser: unitsOfOwner(clusters), rho });
      const simulated = simulate(population, "users", 2_000) / simulate(population, "units", 2_000);
      expect(gain / simulated).toBeGreaterThan(0.9);
      expect(gain / simulated).toBeLessThan(1.1);
    },
  );

  test("falls by the design effect", () => {
    expect(unitGain({ unitsPerUser: 8, rho: 0.2 })).toBeCloseTo(2.4, 12);
    expect(unitGain({ unitsPerUser: 1, rho: 0.2 })).toBe(1);
  });
});

describe("the correlation within users", () => {
  test.each([0, 0.2, 0.5, 0.9])("finds %j", (rho) => {
    const uniform = createUniform(3);
    const found = intraUserCorrelation([
      draw(uniform, { users: 800, m: 3, rho }),
      draw(uniform, { users: 500, m: 6, rho }),
    ]);
    expect(Math.abs(found! - rho)).toBeLessThan(0.05);
  });

  test("does not take a difference between the groups for one between users", () => {
    const uniform = createUniform(4);
    const [one, other] = [
      draw(uniform, { users: 300, m: 4, rho: 0.3 }),
      draw(uniform, { users: 300, m: 4, rho: 0.3 }),
    ];
    const shifted = { ...other, scores: other.scores.map((score) => score + 100) };
    expect(intraUserCorrelation([one, shifted])).toBeCloseTo(intraUserCorrelation([one, other])!, 9);
  });

  test("is that of Donner's formula for unequal users, computed by hand", () => {
    // Between users 16.33 with one degree of freedom, within 7 with four; 6 − 20/6 = 2.67 units per user.
    const group = {
      scores: Float64Array.of(1, 2, 3, 4, 5, 7),
      clusters: Float64Array.of(0, 0, 0, 0, 1, 1),
    };
    expect(intraUserCorrelation([group])).toBeCloseTo(25 / 33, 12);
  });

  test("is 1 if only users differ, and weighs unequal users", () => {
    const group = { scores: Float64Array.of(1, 1, 2, 2, 2, 5), clusters: Float64Array.of(1, 1, 2, 2, 2, 3) };
    expect(intraUserCorrelation([group])).toBe(1);
  });

  test.each([
    ["single units", [1, 2, 3], [1, 2, 3]],
    ["one user", [1, 2, 3], [1, 1, 1]],
    ["no spread", [2, 2, 2, 2], [1, 1, 2, 2]],
    ["no units", [], []],
  ])("is unknown of %s", (_, scores, clusters) => {
    const group = { scores: Float64Array.from(scores), clusters: Float64Array.from(clusters) };
    expect(intraUserCorrelation([group])).toBeNull();
  });
});
