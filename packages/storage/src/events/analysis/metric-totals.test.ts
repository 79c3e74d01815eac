import { POOLED_CAP } from "@assay/domain";
import fc from "fast-check";
import { expect, test } from "vitest";
import { latency, revenue } from "../../contract-tests/arm-metrics.ts";
import { addValue, newUnit } from "../units/unit.ts";
import { BinCounts } from "./bin-counts.ts";
import { MetricTotals, pooledCap } from "./metric-totals.ts";

const NO_SAMPLE = { unit: "user", sample: null } as const;

const NOBODY = { hash: 0n, userId: "", isTestUser: false };

function valuesOf(values: readonly number[]) {
  const [own] = newUnit(NOBODY, [{ source: 0, windowMs: 1, isPerCall: true, isWeighted: false }]).values;
  for (const value of values) addValue(own!, value, true);
  return own!;
}

test("adds up users' sums and counts, with their centred sums", () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.integer({ min: -100, max: 100 }), { maxLength: 60 }), { maxLength: 20 }),
      (users) => {
        const totals = new MetricTotals(latency, NO_SAMPLE);
        for (const values of users) totals.add(valuesOf(values), null);
        const seen = users.filter(({ length }) => length > 0);
        const sums = totals.finish(Number.POSITIVE_INFINITY, false);
        if (seen.length === 0) {
          expect(sums).toBeNull();
          return;
        }
        const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
        const mean = (values: readonly number[]) => sumOf(values) / values.length;
        const [ys, ds] = [seen.map(sumOf), seen.map(({ length }) => length)];
        const [meanY, meanD] = [mean(ys), mean(ds)];
        const close = (value: number) => expect.closeTo(value, 4);
        expect(sums).toMatchObject({
          ...{ users: seen.length, events: sumOf(ds), meanY: close(meanY), meanD: close(meanD) },
          m2Y: close(sumOf(ys.map((y) => (y - meanY) ** 2))),
          m2D: close(sumOf(ds.map((d) => (d - meanD) ** 2))),
          cYD: close(sumOf(ys.map((y, i) => (y - meanY) * (ds[i]! - meanD)))),
          sample: null,
        });
        expect(sumOf([...sums!.fineCounts.values()])).toBe(sumOf(ds));
      },
    ),
  );
});

test("a sum that overflows is NaN, and a denominator of 1 stays 1", () => {
  const totals = new MetricTotals(revenue, NO_SAMPLE);
  for (const y of [1.7e308, 1.7e308, -1.7e308]) totals.add(valuesOf([y]), null);
  expect(totals.finish(Number.POSITIVE_INFINITY, false)).toMatchObject({
    ...{ users: 3, meanY: Number.NaN, m2Y: Number.NaN, meanD: 1, m2D: 0, cYD: 0 },
  });
});

test("a pooled cap is the value at rank ⌊0.999 n⌋ over all groups", () => {
  const metric = { ...revenue, cap: POOLED_CAP } as const;
  const groups = [new MetricTotals(metric, NO_SAMPLE), new MetricTotals(metric, NO_SAMPLE)];
  for (let i = 0; i < 2_500; i++) groups[i % 2]!.add(valuesOf([i]), null);
  expect(pooledCap(metric, groups)).toBe(2_497);
  expect(pooledCap(revenue, groups)).toBe(Number.POSITIVE_INFINITY);
  const [even, odd] = groups.map((group) => group.finish(2_497, false)!);
  expect(even!.meanY).toBe((1_248 * 1_249 + 2_497) / 1_250);
  expect(Math.max(...odd!.fineCounts.keys())).toBe(Math.ceil(Math.log(2_497) / Math.log(1.02)));
});

test("counts the outermost fine bins, ascending", () => {
  const bins = new BinCounts();
  for (const bin of [35_842, -40_000, -115_842, 0, -115_842]) bins.add(bin);
  expect([...bins.toMap()]).toEqual([
    [-115_842, 2],
    [-40_000, 1],
    [0, 1],
    [35_842, 1],
  ]);
});
