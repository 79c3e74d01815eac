import { describe, expect, test } from "vitest";
import { createUniform } from "../random.ts";
import { intraUserCorrelation, unitGain, varianceByUnit } from "./unit-gain.ts";

/** Scores of users with several units: levels of variance ρ and units of variance 1 − ρ. */
function draw(uniform: () => number, { users, m, rho }: { users: number; m: number; rho: number }) {
  // A sum of 12 uniforms less 6 is near normal, with variance 1.
  const normal = () => Array.from({ length: 12 }, uniform).reduce((sum, value) => sum + value) - 6;
  const [scores, clusters]: [number[], number[]] = [[], []];
  for (let user = 0; user < users; user++) {
    const level = Math.sqrt(rho) * normal();
    for (let i = 0; i < m; i++) {
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
function simulate(
  { users, m, rho }: { users: number; m: number; rho: number },
  randomized: "users" | "units",
): number {
  const uniform = createUniform(users + 100 * m + (randomized === "users" ? 7 : 0));
  const experiments = 1_500;
  let squares = 0;
  for (let k = 0; k < experiments; k++) {
    const { scores, clusters } = draw(uniform, { users, m, rho });
    const chosen = half(randomized === "users" ? users : scores.length, uniform);
    const isTreated = (unit: number) => chosen.has(randomized === "users" ? clusters[unit]! : unit);
    const sum = scores.reduce((total, score, unit) => total + (isTreated(unit) ? score : -score), 0);
    squares += (sum / (scores.length / 2)) ** 2;
  }
  return squares / experiments / (4 / (users * m));
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
