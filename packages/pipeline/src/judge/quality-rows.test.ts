import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { judge, judgedMetric, scored } from "../test-support/judged.ts";
import type { JudgedUser } from "./judged-users.ts";
import { qualityRows, userValue } from "./quality-rows.ts";

type Scores = readonly (readonly [score: number, probability: number])[];
const userOf = (scores: Scores, change: Partial<JudgedUser> = {}): JudgedUser => ({
  userId: "u",
  arm: "control",
  period: 0,
  calls: scores.map(([score, probability]) => scored({ score, probability })),
  ...change,
});

describe("a user's value", () => {
  test.each([
    {
      kind: "ratio",
      scores: [
        [1, 0.5],
        [0, 0.25],
      ],
      value: { y: 2, d: 6 },
    },
    {
      kind: "mean",
      scores: [
        [1, 0.5],
        [0, 0.25],
      ],
      value: { y: 1 / 3, d: 1 },
    },
    {
      kind: "ordinal",
      scores: [
        [4, 1],
        [5, 1],
      ],
      value: { y: 4.5, d: 1 },
    },
    {
      kind: "binary",
      scores: [
        [1, 0.5],
        [1, 0.1],
      ],
      value: { y: 1, d: 1 },
    },
    {
      kind: "binary",
      scores: [
        [1, 0.5],
        [0, 0.1],
      ],
      value: { y: 0, d: 1 },
    },
  ] as const)("of kind $kind and scores $scores is $value", ({ kind, scores, value }) => {
    expect(userValue(judgedMetric({ kind }), userOf(scores))).toEqual(value);
  });
});

describe("quality rows", () => {
  test("are one per arm and period, with judged calls as events", () => {
    const users = [
      userOf([
        [1, 0.5],
        [1, 0.5],
      ]),
      userOf([[0, 0.5]]),
      userOf([[1, 1]], { arm: "b", period: 1 }),
    ];
    const rows = qualityRows(judgedMetric(), users, 10);
    expect(rows.map(({ arm, period, users, events }) => ({ arm, period, users, events }))).toEqual([
      { arm: "control", period: 0, users: 2, events: 3 },
      { arm: "b", period: 1, users: 1, events: 1 },
    ]);
    expect(rows[0]).toMatchObject({ meanY: 2, meanD: 3, m2Y: 8, m2D: 2, cYD: 4 });
    expect(rows[0]?.sample).toMatchObject({ y: Float64Array.of(4, 0), d: Float64Array.of(4, 2) });
    expect(qualityRows(judgedMetric(), [], 10)).toEqual([]);
  });

  test("hold at most the sample's users, and sums over all", () => {
    const users = Array.from({ length: 5 }, () => userOf([[1, 1]]));
    const [row] = qualityRows(judgedMetric({ kind: "mean" }), users, 3);
    expect(row).toMatchObject({ users: 5, meanY: 1 });
    expect(row?.sample).toMatchObject({ y: new Float64Array(3).fill(1) });
  });

  test("have no sample for kind binary, whose sums suffice", () => {
    const [row] = qualityRows(judgedMetric({ kind: "binary" }), [userOf([[1, 1]])], 3);
    expect(row).toMatchObject({ sample: null, meanY: 1 });
  });

  test("with equal probabilities for all calls equal those of the plain scores", () => {
    const scores = fc.array(fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 }), {
      minLength: 1,
    });
    fc.assert(
      fc.property(scores, fc.double({ min: 0.01, max: 1, noNaN: true }), (perUser, probability) => {
        const metric = judgedMetric({ judge: { ...judge, scale: "1-5" } });
        const users = perUser.map((own) => userOf(own.map((score) => [score, probability] as const)));
        const [row] = qualityRows(metric, users, 1_000);
        const all = perUser.flat();
        const mean = all.reduce((sum, score) => sum + score, 0) / all.length;
        expect((row?.meanY ?? 0) / (row?.meanD ?? 1)).toBeCloseTo(mean, 9);
        expect(row?.events).toBe(all.length);
      }),
    );
  });

  test("weigh a call by 1 / probability, so that the weighted mean is unbiased for all calls", () => {
    // Of 200 easy calls 30% were drawn, of 100 hard ones 90%. The share of passes in a group is the same for drawn and
    // other calls.
    const easy = Array.from({ length: 60 }, (_, i) => userOf([[i % 4 === 0 ? 0 : 1, 0.3]]));
    const hard = Array.from({ length: 90 }, (_, i) => userOf([[i % 3 === 0 ? 1 : 0, 0.9]]));
    const [row] = qualityRows(judgedMetric(), [...easy, ...hard], 1_000);
    expect((row?.meanY ?? 0) / (row?.meanD ?? 1)).toBeCloseTo((200 * 0.75 + 100 / 3) / 300, 12);
  });
});
