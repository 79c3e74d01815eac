import { describe, expect, test } from "vitest";
import { normalQuantile } from "../distributions/normal.ts";
import { detectableStandardErrors } from "../planning/power.ts";
import { createUniform } from "../random.ts";
import { efficacyBoundaries, extendBoundaries, startBoundaries } from "./efficacy.ts";
import { conditionalPower, futilityBoundaries } from "./futility.ts";
import { informationFraction, maximumInformation } from "./information.ts";
import { obrienFlemingSpent } from "./spending.ts";

const equalLooks = (count: number) => Array.from({ length: count }, (_, i) => (i + 1) / count);

function expectClose(actual: readonly number[], expected: readonly number[], digits: number): void {
  expect(actual).toHaveLength(expected.length);
  for (const [i, value] of expected.entries()) {
    if (Number.isFinite(value)) expect(actual[i]).toBeCloseTo(value, digits);
    else expect(actual[i]).toBe(value);
  }
}

describe("obrienFlemingSpent", () => {
  test.each([
    [-1, 0],
    [0, 0],
    [1, 0.05],
    [1.5, 0.05],
    [0.25, 8.85754383214e-5],
  ])("by fraction %d it is %d of .05", (t, spent) => {
    expect(Math.abs(obrienFlemingSpent(t, 0.05) - spent)).toBeLessThanOrEqual(1e-11 * spent);
  });
});

describe("efficacyBoundaries", () => {
  test.each([{ name: "one look is the fixed test", fractions: [1], expected: [1.959964] }])(
    "$name",
    ({ fractions, expected }) => {
      expectClose(efficacyBoundaries(fractions, 0.05), expected, 6);
    },
  );

  // An independent implementation: scipy 1's normal distribution, Simpson's rule on 2,001 points, and brentq.
  test.each([
    {
      fractions: equalLooks(5),
      alpha: 0.05,
      expected: [4.3826127, 3.09972748, 2.55335497, 2.2538479, 2.0635011],
    },
    { fractions: equalLooks(3), alpha: 0.05, expected: [3.3947572, 2.40673261, 2.01524672] },
    { fractions: [0.5, 1], alpha: 0.05, expected: [2.77180765, 1.97931134] },
    {
      fractions: [0.3, 0.55, 0.7, 1],
      alpha: 0.05,
      expected: [3.57838829, 2.64857078, 2.40332669, 2.02869473],
    },
    {
      fractions: [0.25, 0.3, 0.6, 0.95, 1],
      alpha: 0.05,
      expected: [3.91992797, 3.60264402, 2.53477632, 2.05351022, 2.10703801],
    },
    { fractions: [0.4, 0.8, 1], alpha: 0.1, expected: [2.60074194, 1.86469051, 1.77564661] },
  ])("looks at $fractions at level $alpha", ({ fractions, alpha, expected }) => {
    expectClose(efficacyBoundaries(fractions, alpha), expected, 7);
  });

  test("a fraction hardly above the previous one, or below it, is the same look", () => {
    const [first, same, fallen, last] = efficacyBoundaries([0.5, 0.5004, 0.49, 1], 0.05);
    expect([same, fallen]).toEqual([first, first]);
    expect([first, last]).toEqual(efficacyBoundaries([0.5, 1], 0.05));
  });

  test("looks too early to spend anything have no boundary and do not count", () => {
    const [none, early, ...rest] = efficacyBoundaries([0, 0.05, 0.5, 1], 0.05);
    expect([none, early]).toEqual([Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]);
    expect(rest).toEqual(efficacyBoundaries([0.5, 1], 0.05));
  });

  test("a state can be extended twice from the same look", () => {
    const first = extendBoundaries(startBoundaries(0.05), 0.5);
    const boundary = extendBoundaries(first, 1).boundary;
    extendBoundaries(first, 0.6);
    expect(extendBoundaries(first, 1).boundary).toBe(boundary);
  });
});

/** The shares of 40,000 walks that cross the boundaries on either side. */
function crossings(fractions: readonly number[], drift: number): { up: number; down: number } {
  const uniform = createUniform(20_241);
  const boundaries = efficacyBoundaries(fractions, 0.05);
  const walks = 40_000;
  let [up, down] = [0, 0];
  for (let walk = 0; walk < walks; walk++) {
    let [score, before] = [0, 0];
    for (const [i, t] of fractions.entries()) {
      score += drift * (t - before) + Math.sqrt(t - before) * normalQuantile(uniform());
      before = t;
      const z = score / Math.sqrt(t);
      if (Math.abs(z) < boundaries[i]!) continue;
      if (z > 0) up++;
      else down++;
      break;
    }
  }
  return { up: up / walks, down: down / walks };
}

describe("walks drawn at random", () => {
  test("cross without an effect in 2.5 % on each side", () => {
    // Four standard errors of a share of .025 among 40,000.
    const { up, down } = crossings(equalLooks(14), 0);
    expect(Math.abs(up - 0.025)).toBeLessThan(0.0032);
    expect(Math.abs(down - 0.025)).toBeLessThan(0.0032);
  });

  test("find the planned effect nearly as often as a single look does, and sooner", () => {
    // .774 by 20,000 walks elsewhere; four standard errors of a share of .77 among 40,000 are .0084.
    const { up } = crossings(equalLooks(28).slice(6), detectableStandardErrors());
    expect(Math.abs(up - 0.774)).toBeLessThan(0.012);
  });
});

describe("futilityBoundaries", () => {
  test("with one look, an effect that is not found is missed", () =>
    expectClose(futilityBoundaries([1]), [1.959964], 6));

  // Computed like the efficacy boundaries above.
  test.each([
    {
      fractions: [0.25, 0.5, 0.75, 1],
      target: { alpha: 0.05, power: 0.8 },
      expected: [-0.9117419, 0.48046775, 1.24337115, 1.82013701],
    },
    {
      fractions: [0.2, 0.35, 0.8, 1],
      target: { alpha: 0.05, power: 0.9 },
      expected: [-2.04757152, -0.63459696, 1.37893268, 1.87724455],
    },
  ])("looks at $fractions for $target", ({ fractions, target, expected }) => {
    expectClose(futilityBoundaries(fractions, target), expected, 7);
  });

  test("early looks have no boundary, and the same look has the same boundary", () => {
    const [early, first, same, last] = futilityBoundaries([0.03, 0.5, 0.5004, 1]);
    expect(early).toBe(Number.NEGATIVE_INFINITY);
    expect(same).toBe(first);
    expect([first, last]).toEqual(futilityBoundaries([0.5, 1]));
  });
});

describe("conditionalPower", () => {
  test.each([
    { look: { z: 1.96 * Math.SQRT2, t: 0.5, boundary: 1.96, drift: 0 }, power: 0.5 },
    { look: { z: 0, t: 0, boundary: 1.959963984540054, drift: 0 }, power: 0.025 },
    { look: { z: 0, t: 0, boundary: 1.959963984540054, drift: 2.801585218112969 }, power: 0.8 },
    { look: { z: 2, t: 1, boundary: 1.96, drift: 0 }, power: 1 },
    { look: { z: 1.9, t: 1, boundary: 1.96, drift: 9 }, power: 0 },
  ])("$look gives $power", ({ look, power }) => expect(conditionalPower(look)).toBeCloseTo(power, 10));
});

test("the information for a target and the fraction of it", () => {
  const maximum = maximumInformation({ target: 0.1 });
  expect(maximum).toBeCloseTo(784.8879734, 5);
  expect(maximumInformation({ target: 0.1, alpha: 0.05, power: 0.9 })).toBeCloseTo(1050.7424, 3);
  expect(informationFraction(2 / Math.sqrt(maximum), maximum)).toBeCloseTo(0.25, 12);
  expect(informationFraction(1e-3, maximum)).toBe(1);
});
