import fc from "fast-check";
import { expect, test } from "vitest";
import { addCounts, type MetricSums, mergeSums } from "./merge-sums.ts";

type User = readonly [y: number, d: number];

function sumsOf(users: readonly User[]): MetricSums | null {
  const n = users.length;
  if (n === 0) return null;
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / n;
  const [ys, ds] = [users.map(([y]) => y), users.map(([, d]) => d)];
  const [meanY, meanD] = [mean(ys), mean(ds)];
  return {
    ...{ users: n, events: ds.reduce((sum, d) => sum + d, 0), meanY, meanD },
    m2Y: ys.reduce((sum, y) => sum + (y - meanY) ** 2, 0),
    m2D: ds.reduce((sum, d) => sum + (d - meanD) ** 2, 0),
    cYD: users.reduce((sum, [y, d]) => sum + (y - meanY) * (d - meanD), 0),
    fineCounts: ys.map((y) => new Map([[Math.round(y), 1]])).reduce(addCounts),
  };
}

const someUsers = fc.array(fc.tuple(fc.double({ min: -1e3, max: 1e3, noNaN: true }), fc.nat(50)), {
  maxLength: 20,
});

test("merged sums of several sets equal the sums over all their users", () => {
  fc.assert(
    fc.property(fc.array(someUsers, { maxLength: 5 }), (sets) => {
      const whole = sumsOf(sets.flat());
      const merged = mergeSums(sets.map(sumsOf));
      if (whole === null) {
        expect(merged).toBeNull();
        return;
      }
      const close = (value: number) => expect.closeTo(value, 4);
      expect(merged).toEqual({
        ...whole,
        ...{ meanY: close(whole.meanY), meanD: close(whole.meanD) },
        ...{ m2Y: close(whole.m2Y), m2D: close(whole.m2D), cYD: close(whole.cYD) },
      });
    }),
  );
});

test("a denominator that is 1 everywhere stays 1, and an overflow is NaN", () => {
  const part = (users: number, meanY: number): MetricSums => ({
    ...{ users, events: users, meanY, m2Y: 0, meanD: 1, m2D: 0, cYD: 0, fineCounts: new Map() },
  });
  expect(mergeSums([part(3, 5), part(4, 5), part(7, 5)])).toEqual(part(14, 5));
  expect(mergeSums([part(1, 1.7e308), part(1, -1.7e308)])).toMatchObject({ m2Y: Number.NaN, meanD: 1 });
});
