import type { JudgeScale } from "@assay/domain";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { agreement, isPass } from "./agreement.ts";

type Pair = readonly [arm: string, label: number | null, judge: number];
const labelsOf = (pairs: readonly Pair[], isDrawn = true) =>
  pairs.map(([arm, score, judgeScore]) => ({ arm, score, judgeScore, isDrawn }));
const times = (count: number, pair: Pair) => Array.from({ length: count }, () => pair);

describe("agreement", () => {
  test("counts agreement and both kinds of mistakes, by arm and overall", () => {
    const labels = labelsOf([
      ...times(20, ["b", 1, 1]),
      ...times(5, ["b", 1, 0]),
      ...times(10, ["a", 0, 1]),
      ...times(15, ["a", 0, 0]),
    ]);
    const { overall, arms, categories, drawnLabels } = agreement(labels, "pass_fail");
    expect(categories).toEqual(["fail", "pass"]);
    expect(Object.keys(arms)).toEqual(["a", "b"]);
    expect(drawnLabels).toEqual({ a: 25, b: 25 });
    // The table of Wikipedia's article on Cohen's kappa: 20, 5, 10 and 15 give .4.
    expect(overall.kappa).toBeCloseTo(0.4, 12);
    expect(overall).toMatchObject({
      labels: 50,
      agreeing: 35,
      matrix: [
        [15, 10],
        [5, 20],
      ],
      falsePasses: { count: 10, of: 25 },
      falseFails: { count: 5, of: 25 },
      meanJudgeScore: 0.6,
      meanLabel: 0.5,
    });
    expect(overall.ciLow).toBeLessThan(0.4);
    // All labels of an arm are in one category, so agreement beyond chance is undefined.
    expect(arms.b).toMatchObject({ labels: 25, kappa: 0, falsePasses: { count: 0, of: 0 } });
  });

  test("of five points weighs misses by distance, and passes from 4", () => {
    const near = agreement(labelsOf([...times(5, ["a", 5, 4]), ...times(5, ["a", 1, 1])]), "1-5").overall;
    const far = agreement(labelsOf([...times(5, ["a", 5, 2]), ...times(5, ["a", 1, 1])]), "1-5").overall;
    expect(near).toMatchObject({ agreeing: 5, falseFails: { count: 0, of: 5 } });
    expect(near.matrix[4]?.[3]).toBe(5);
    expect(far).toMatchObject({ agreeing: 5, falseFails: { count: 5, of: 5 } });
    expect(near.kappa).toBeGreaterThan(far.kappa ?? 1);
  });

  test("of numbers from 0 to 1 is that of their halves", () => {
    const { overall } = agreement(
      labelsOf([
        ["a", 0.5, 0.9],
        ["a", 0.4, 0.6],
        ["a", 0.1, 0.49],
      ]),
      "0-1",
    );
    expect(overall).toMatchObject({
      agreeing: 2,
      matrix: [
        [1, 1],
        [0, 1],
      ],
      falsePasses: { count: 1, of: 2 },
    });
  });

  test("leaves out labels without a score, and counts chosen ones, which do not calibrate", () => {
    const labels = [...labelsOf([["a", null, 1]]), ...labelsOf([["a", 1, 1]], false)];
    const { overall, drawnLabels } = agreement(labels, "pass_fail");
    expect(overall.labels).toBe(1);
    expect(drawnLabels).toEqual({ a: 0 });
  });

  test("without labels is unknown", () => {
    const { overall, arms } = agreement([], "pass_fail");
    expect(arms).toEqual({});
    expect(overall).toMatchObject({ labels: 0, kappa: null, ciLow: null, meanLabel: null });
  });

  test("whatever the scores, the matrix holds every label and the mistakes lie off its diagonal", () => {
    const scales = {
      pass_fail: fc.constantFrom(0, 1),
      "1-5": fc.constantFrom(1, 2, 3, 4, 5),
      "0-1": fc.double({ min: 0, max: 1, noNaN: true }),
    } satisfies Record<JudgeScale, fc.Arbitrary<number>>;
    const any = fc.constantFrom<JudgeScale>("pass_fail", "1-5", "0-1").chain((scale) =>
      fc.record({
        scale: fc.constant(scale),
        labels: fc.array(fc.tuple(fc.constantFrom("a", "b"), scales[scale], scales[scale])),
      }),
    );
    fc.assert(
      fc.property(any, ({ scale, labels }) => {
        const { overall, arms } = agreement(labelsOf(labels), scale);
        expect(overall.matrix.flat().reduce((sum, count) => sum + count, 0)).toBe(labels.length);
        expect(overall.falsePasses.of + overall.falseFails.of).toBe(labels.length);
        expect(overall.falsePasses.count + overall.falseFails.count).toBe(
          labels.filter(([, label, judge]) => isPass(scale, label) !== isPass(scale, judge)).length,
        );
        expect(Object.values(arms).reduce((sum, arm) => sum + arm.labels, 0)).toBe(labels.length);
      }),
    );
  });
});

test.each([
  { scale: "pass_fail", passes: [1], fails: [0] },
  { scale: "1-5", passes: [4, 5], fails: [1, 2, 3] },
  { scale: "0-1", passes: [0.5, 1], fails: [0, 0.49] },
] as const)("on $scale, the scores $passes pass", ({ scale, passes, fails }) => {
  expect(passes.every((score) => isPass(scale, score))).toBe(true);
  expect(fails.some((score) => isPass(scale, score))).toBe(false);
});
