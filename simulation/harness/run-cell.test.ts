import { expect, test } from "vitest";
import { type Cell, mean, power, share, shownMean, shownShare } from "./cell.ts";
import { runCell } from "./run-cell.ts";
import { toVerdict } from "./verdict.ts";

const cell: Cell = {
  id: "test/coin",
  labels: [],
  repetitions: { long: 2_000, short: 200 },
  measures: [share("five in a hundred", 0.05), shownMean("uniform"), shownShare("never asked")],
  observe: ({ chance, uniform }) => [Number(chance(0.05)), uniform(), null],
};

test("a cell always gives the same figures, and its short form has its first repetitions", () => {
  expect(runCell(cell, 300)).toEqual(runCell(cell, 300));
  const values: number[] = [];
  runCell({ ...cell, observe: ({ uniform }) => [values.push(uniform()), 0, 0] }, 3);
  runCell({ ...cell, observe: ({ uniform }) => [values.push(uniform()), 0, 0] }, 2);
  expect(values.slice(3)).toEqual(values.slice(0, 2));
});

test("a measure counts only repetitions with a value for it", () => {
  const [first, second, third] = runCell(cell, 400);
  expect([first?.count, second?.count, third?.count]).toEqual([400, 400, 0]);
  expect(Math.abs(second!.mean - 0.5)).toBeLessThan(3.3 * second!.standardError);
  expect(second!.standardError).toBeCloseTo(Math.sqrt(1 / 12 / 400), 2);
});

const tally = (hits: number) => ({ count: 2_000, mean: hits / 2_000, standardError: 0.01 });

test.each([
  ["both", 69, true],
  ["both", 68, false],
  ["both", 133, true],
  ["both", 134, false],
  ["high", 0, true],
  ["high", 134, false],
  ["low", 68, false],
  ["low", 2_000, true],
] as const)("a share of .05 judged on side %s: %d of 2,000 inside is %s", (side, hits, isInside) => {
  expect(toVerdict(share("", 0.05, side), tally(hits)).isInside).toBe(isInside);
});

test("a measure without repetitions is outside, one that is only shown inside", () => {
  const none = { count: 0, mean: Number.NaN, standardError: Number.NaN };
  expect(toVerdict(share("", 0.05), none).isInside).toBe(false);
  expect(toVerdict(shownShare(""), none)).toMatchObject({ isInside: true, limits: null });
});

test("a mean may be off by its tolerance and 3.29 standard errors", () => {
  const at = (value: number) =>
    toVerdict(mean("", 1, { tolerance: 0.1 }), { count: 9, mean: value, standardError: 0.01 });
  expect(at(1.13).isInside).toBe(true);
  expect(at(1.14).isInside).toBe(false);
  expect(at(0.87).isInside).toBe(true);
  expect(at(0.86).isInside).toBe(false);
});

test("power may be off by three standard errors", () => {
  const { limits } = toVerdict(power("", 0.5), tally(0));
  expect(limits!.high! - 0.5).toBeCloseTo(3 * Math.sqrt(0.25 / 2_000), 3);
});
