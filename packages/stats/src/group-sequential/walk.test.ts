import { describe, expect, test } from "vitest";
import { extendBoundaries, startBoundaries } from "./efficacy.ts";
import { obrienFlemingSpent } from "./spending.ts";
import { beforeNext, type Grid } from "./walk.ts";

const origin: Grid = { t: 0, places: new Float64Array(1), masses: Float64Array.of(1) };
/** The walk after a look at t = 1 that continues between the ends; by default the next look adds as much information again. */
const gridAfter = (end: number, drift = 0, nextT = 2) =>
  beforeNext({ before: origin, stop: { t: 1, lower: -end, upper: end } }, drift, nextT);

describe("the grid of a walk", () => {
  test.each([0, 3])("reaches 7.8 standard deviations to either side of a drift of %d", (drift) => {
    const { places, masses } = gridAfter(Number.POSITIVE_INFINITY, drift);
    for (const side of [-1, 1]) {
      const end = side * ((side < 0 ? places[0]! : places.at(-1)!) - drift);
      expect(end).toBeGreaterThan(7.75);
      expect(end).toBeLessThan(7.8);
    }
    expect(masses.reduce((sum, mass) => sum + mass, 0)).toBeCloseTo(1, 13);
  });

  test("reaches as far in a shorter walk", () => {
    const stop = { t: 0.25, lower: Number.NEGATIVE_INFINITY, upper: Number.POSITIVE_INFINITY };
    const { places } = beforeNext({ before: origin, stop }, 0, 0.5);
    expect(places.at(-1)! / Math.sqrt(0.25)).toBeGreaterThan(7.75);
    expect(places.at(-1)! / Math.sqrt(0.25)).toBeLessThan(7.8);
  });

  test.each([
    // π × end nodes for a step as long as the walk so far, plus 8, rounded up to a multiple of 8.
    { end: 15.9 / Math.PI, nextT: 2, nodes: 24 },
    { end: 16.1 / Math.PI, nextT: 2, nodes: 32 },
    // The next step is half as long.
    { end: 15.9 / Math.PI / 2, nextT: 1.25, nodes: 24 },
    { end: 16.1 / Math.PI / 2, nextT: 1.25, nodes: 32 },
  ])("between ∓$end before t = $nextT has $nodes nodes", ({ end, nextT, nodes }) => {
    const { places, masses } = gridAfter(end, 0, nextT);
    expect([places.length, masses.length]).toEqual([nodes, nodes]);
    expect(places[0]).toBeCloseTo(-end, 1);
    expect(places.at(-1)).toBeCloseTo(end, 1);
  });
});

describe("a look without a boundary of its own", () => {
  test("comes less than .001 after the previous one", () => {
    const before = extendBoundaries(startBoundaries(0.05), 0.5);
    expect(before.boundary).toBeLessThan(Number.POSITIVE_INFINITY);
    expect(extendBoundaries(before, 0.50099)).toBe(before);
    expect(extendBoundaries(before, 0.50101).latest?.stop.t).toBe(0.50101);
  });

  test("may spend less than 1e-8", () => {
    // Two tests of the same size: 2 − 2 Φ(1.96 / √t) is 1e-8 at √t = 1.96 / 5.73.
    const start = startBoundaries(0.05);
    const t = (spent: number) => {
      let [low, high] = [0.01, 0.5];
      for (let i = 0; i < 60; i++) {
        const middle = (low + high) / 2;
        if (obrienFlemingSpent(middle, 0.05) < spent) low = middle;
        else high = middle;
      }
      return high;
    };
    expect(t(1e-8)).toBeCloseTo((1.959964 / 5.730729) ** 2, 6);
    expect(extendBoundaries(start, t(0.99e-8))).toBe(start);
    expect(extendBoundaries(start, t(1.01e-8)).boundary).toBeCloseTo(5.73, 2);
  });
});
