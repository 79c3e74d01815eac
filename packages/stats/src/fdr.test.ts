import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { adjustFdr, adjustFdrByEvidence } from "./fdr.ts";

describe("adjustFdr", () => {
  test.each([
    { name: "returns nothing for no input", p: [], adjusted: [] },
    { name: "leaves a single test as it is", p: [0.03], adjusted: [0.03] },
    { name: "gives tied values the same result", p: [0.01, 0.01], adjusted: [0.01, 0.01] },
    { name: "never exceeds 1 or breaks the order", p: [0.9, 0.95], adjusted: [0.95, 0.95] },
    { name: "returns the results in the order of the input", p: [0.04, 0.005], adjusted: [0.04, 0.01] },
  ])("$name", ({ p, adjusted }) => expect(adjustFdr(p)).toEqual(adjusted.map((a) => expect.closeTo(a, 12))));

  test("lowers no p-value, never exceeds 1 and keeps the order", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1 }), (p) => {
        const adjusted = adjustFdr(p);
        for (const [i, a] of adjusted.entries()) {
          expect(a).toBeGreaterThanOrEqual(p[i]!);
          expect(a).toBeLessThanOrEqual(1);
          for (const [j, b] of adjusted.entries()) if (p[i]! <= p[j]!) expect(a).toBeLessThanOrEqual(b);
        }
      }),
    );
  });

  test("depends on the values, not on their order", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (p) => {
        expect(adjustFdr(p.toReversed())).toEqual(adjustFdr(p).toReversed());
      }),
    );
  });
});

describe("adjustFdrByEvidence", () => {
  test.each([
    { name: "returns nothing for no input", e: [], adjusted: [] },
    { name: "turns a single test into 1 / e", e: [40], adjusted: [1 / 40] },
    { name: "counts evidence for no effect as no evidence against it", e: [0.1, 40], adjusted: [1, 0.05] },
    { name: "keeps evidence beyond the largest number", e: [Number.MAX_VALUE, 10], adjusted: [1e-300, 0.1] },
  ])("$name", ({ e, adjusted }) => {
    expect(adjustFdrByEvidence(e.map(Math.log))).toEqual(adjusted.map((a) => expect.closeTo(a, 12)));
  });

  test("rejects the k largest e-values when the k-th is at least F / (.05 k), as e-BH is printed", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: -3, max: 10, noNaN: true }), { minLength: 1 }), (logs) => {
        const descending = logs.toSorted((a, b) => b - a);
        const margins = descending.map((log, i) => log - Math.log(logs.length / (0.05 * (i + 1))));
        fc.pre(margins.every((margin) => Math.abs(margin) > 1e-9));
        const rejected = margins.findLastIndex((margin) => margin > 0) + 1;
        expect(adjustFdrByEvidence(logs).filter((p) => p < 0.05)).toHaveLength(rejected);
      }),
    );
  });
});
