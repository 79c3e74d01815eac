import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ObservedSplit, sequentialSrm, splitLikelihoods } from "./sequential-srm.ts";

test("has the same marginal likelihoods as ssrm", () => {
  const split = { counts: [2, 2, 1], weights: [0.4, 0.4, 0.2], prior: [1, 1, 1] };
  const { logAlternative, logNull } = splitLikelihoods(split);
  expect(logAlternative).toBeCloseTo(-6.4457198193855785, 11);
  expect(logNull).toBeCloseTo(-5.27460083993072, 11);
  expect(logAlternative - logNull).toBeCloseTo(-1.1711189794548584, 11);
});

const half = (control: number, treatment: number): ObservedSplit => ({
  shares: [50, 50],
  observed: [control, treatment],
});

describe("sequentialSrm", () => {
  test.each([
    { name: "no period gives no evidence", periods: [], pValue: 1 },
    { name: "no user gives no evidence", periods: [half(0, 0)], pValue: 1 },
    { name: "an even split supports the allocation", periods: [half(5000, 5000)], pValue: 1 },
    {
      name: "an allocation without shares and users gives no evidence",
      periods: [{ shares: [0, 0], observed: [0, 0] }],
      pValue: 1,
    },
    {
      name: "a user of an arm without a share is impossible",
      periods: [{ shares: [1, 0], observed: [9, 1] }],
      pValue: 1e-300,
    },
    {
      name: "a wildly wrong split underflows to the smallest p",
      periods: [half(100_000, 10)],
      pValue: 1e-300,
    },
  ])("$name", ({ periods, pValue }) => expect(sequentialSrm({ periods }).pValue).toBe(pValue));

  test("finds 52 to 48 of 28,000 users", () => {
    expect(sequentialSrm({ periods: [half(14_560, 13_440)] }).pValue).toBeLessThan(1e-6);
  });

  test("multiplies the evidence of the periods, each against its own shares", () => {
    const first = { shares: [90, 10, 0], observed: [930, 70, 0] };
    const second = { shares: [1, 1, 1], observed: [300, 340, 360] };
    const of = (...periods: ObservedSplit[]) => sequentialSrm({ periods }).logEvidence;
    expect(of(first, second)).toBeCloseTo(of(first) + of(second), 10);
    expect(of(first)).toBeCloseTo(of({ shares: [9, 1], observed: [930, 70] }), 10);
  });

  test("refuses counts that do not match the shares", () => {
    expect(() => sequentialSrm({ periods: [{ shares: [1, 1], observed: [1] }] })).toThrow(RangeError);
  });

  test("does not depend on the order of the arms", () => {
    const count = fc.integer({ min: 0, max: 1000 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), count), { minLength: 2, maxLength: 5 }),
        (arms) => {
          const of = (rows: typeof arms) =>
            sequentialSrm({ periods: [{ shares: rows.map(([w]) => w), observed: rows.map(([, n]) => n) }] });
          expect(of(arms.toReversed()).logEvidence).toBeCloseTo(of(arms).logEvidence, 8);
        },
      ),
    );
  });

  test("is a fair bet: the evidence of the next user is one on average", () => {
    const count = fc.integer({ min: 0, max: 500 });
    fc.assert(
      fc.property(fc.array(count, { minLength: 3, maxLength: 3 }), (observed) => {
        const shares = [0.5, 0.3, 0.2];
        const evidence = (counts: number[]) =>
          sequentialSrm({ periods: [{ shares, observed: counts }] }).logEvidence;
        const gain = shares.map((share, arm) => {
          const next = observed.map((n, k) => (k === arm ? n + 1 : n));
          return share * Math.exp(evidence(next) - evidence(observed));
        });
        expect(gain.reduce((sum, value) => sum + value)).toBeCloseTo(1, 9);
      }),
    );
  });
});

test("the alternative splits lie as close to the allocation as 100 users would show", () => {
  // Pólya's urn with 50 users of each arm, and with 75 of one. The chance of the next user's arm is that arm's share in the urn.
  const even = ((50 * 51 * 52 * 50) / (100 * 101 * 102 * 103)) * 2 ** 4;
  const uneven = (25 * 26) / (100 * 101) / 0.25 ** 2;
  const evidence = (shares: readonly number[], observed: readonly number[]) =>
    sequentialSrm({ periods: [{ shares, observed }] }).logEvidence;
  expect(evidence([1, 1], [3, 1])).toBeCloseTo(Math.log(even), 12);
  expect(evidence([3, 1], [0, 2])).toBeCloseTo(Math.log(uneven), 12);
});
