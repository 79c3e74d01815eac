import { describe, expect, test } from "vitest";
import { barsOf, binScale, isBinary, logTicks, outlineOf, quantileOf } from "./histogram.ts";

const positive = { bin_edges: [1, 10, 100, 1000], counts: [10, 80, 10] };
const withZero = { bin_edges: [0, 1, 10], counts: [50, 50] };
/** Scores from 0 to 1, all in the first tenth. */
const tenths = { bin_edges: Array.from({ length: 11 }, (_, k) => k / 10), counts: [10, ...Array(9).fill(0)] };
const binary = { bin_edges: [-0.5, 0.5, 1.5], counts: [3, 1] };

test.each([
  { name: "positive values by their logarithm", of: positive, scale: "log" },
  { name: "a bin of zero side by side", of: withZero, scale: "bins" },
  { name: "yes and no side by side", of: binary, scale: "bins" },
  { name: "nothing side by side", of: { bin_edges: [], counts: [] }, scale: "bins" },
])("binScale lays $name", ({ of, scale }) => expect(binScale(of)).toBe(scale));

describe("barsOf", () => {
  test("lies between the edges, in shares of the arm", () => {
    expect(barsOf(positive, "log")[1]).toEqual({ from: 10, to: 100, share: 0.8 });
    expect(barsOf(withZero, "bins")[1]).toEqual({ from: 1, to: 2, share: 0.5 });
  });

  test("an arm without values has no height", () => {
    expect(barsOf({ bin_edges: [1, 2], counts: [0] }, "log")).toEqual([{ from: 1, to: 2, share: 0 }]);
  });
});

test("outlineOf goes up and down with the bars and ends on the ground", () => {
  expect(outlineOf(barsOf(withZero, "bins"))).toEqual([
    { x: 0, share: 0 },
    { x: 0, share: 0.5 },
    { x: 1, share: 0.5 },
    { x: 1, share: 0.5 },
    { x: 2, share: 0.5 },
    { x: 2, share: 0 },
  ]);
  expect(outlineOf([])).toEqual([]);
});

test.each([
  { share: 0.5, of: positive, scale: "log", value: 10 ** 1.5, x: 10 ** 1.5 },
  { share: 0.95, of: positive, scale: "log", value: 10 ** 2.5, x: 10 ** 2.5 },
  { share: 0.75, of: withZero, scale: "bins", value: 5.5, x: 1.5 },
  { share: 0.5, of: withZero, scale: "bins", value: 0, x: 0.5 },
  // Of the users, 97 in a hundred have no error; nothing lies between 0 and the next value.
  { share: 0.95, of: { bin_edges: [0, 0.98, 1], counts: [97, 3] }, scale: "bins", value: 0, x: 0.5 },
  { share: 0.985, of: { bin_edges: [0, 0.98, 1], counts: [97, 3] }, scale: "bins", value: 0.99, x: 1.5 },
  { share: 0.5, of: { bin_edges: [-2, -1, 1, 2], counts: [1, 8, 1] }, scale: "bins", value: 0, x: 1.5 },
  { share: 0.5, of: { bin_edges: [-0.5, 0.5], counts: [7] }, scale: "bins", value: 0, x: 0.5 },
  { share: 0.5, of: { bin_edges: [0.5, 1.5, 2.5], counts: [1, 3] }, scale: "bins", value: 2, x: 1.5 },
  { share: 0.5, of: tenths, scale: "bins", value: 0.05, x: 0.5 },
] as const)("quantileOf reads $share of the $scale bins as $value", ({ share, of, scale, value, x }) => {
  expect(quantileOf(of, share, scale)).toEqual({ x: expect.closeTo(x, 9), value: expect.closeTo(value, 9) });
});

test("quantileOf of nothing is nothing", () => {
  expect(quantileOf({ bin_edges: [1, 2], counts: [0] }, 0.5, "log")).toBeNull();
});

test("isBinary knows the bins of yes and no", () => {
  expect([binary, withZero, positive].map(isBinary)).toEqual([true, false, false]);
  // Each user's share of failed calls, one call per user.
  expect(isBinary({ bin_edges: [0, 1 / 1.02, 1], counts: [97, 3] })).toBe(true);
  expect(isBinary({ bin_edges: [0, 0.5, 1 / 1.02, 1], counts: [97, 2, 1] })).toBe(false);
});

test.each([
  { edges: [1, 1000], most: 4, ticks: [1, 10, 100, 1000] },
  { edges: [0.0034, 0.0061], most: 3, ticks: [0.005, 0.006] },
  { edges: [5, 5], most: 3, ticks: [5] },
  { edges: [2, 9], most: 0, ticks: [2, 9] },
])("logTicks of $edges are $ticks", ({ edges, most, ticks }) => {
  expect(logTicks(edges, most).map((tick) => Number(tick.toPrecision(6)))).toEqual(ticks);
});
