import { murmur3 } from "@assay/bucketing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JudgeableCount } from "../ports/judgeable.ts";
import { dayOf } from "../time/day.ts";
import {
  chooseRepeats,
  drawProbabilities,
  keptProbabilities,
  planSample,
  REPEAT_SHARE,
  sampleSalt,
  takesAll,
} from "./sample-plan.ts";

/** The counts of an arm, given the number of calls of each user. */
function countsOf(arm: string, callsOfUsers: readonly number[]): readonly JudgeableCount[] {
  const most = Math.max(0, ...callsOfUsers);
  return Array.from({ length: most }, (_, index) => ({
    arm,
    rank: index + 1,
    calls: callsOfUsers.filter((calls) => calls > index).length,
  }));
}

const users = (count: number, calls: number) => new Array<number>(count).fill(calls);
const two = [...countsOf("a", users(60, 1)), ...countsOf("b", users(20, 2))];

test.each([
  {
    name: "both arms get the same number, whatever their traffic",
    counts: two,
    rate: 0.2,
    budget: null,
    a: [10],
    b: [10, 0],
  },
  {
    name: "everybody's first call comes before anybody's second",
    counts: two,
    rate: 0.5,
    budget: null,
    a: [25],
    b: [20, 5],
  },
  {
    name: "an arm with fewer calls gives all, and the other gives the rest",
    counts: two,
    rate: 0.9,
    budget: null,
    a: [50],
    b: [20, 20],
  },
  {
    name: "all calls are drawn where all are wanted",
    counts: two,
    rate: 1,
    budget: null,
    a: [60],
    b: [20, 20],
  },
  { name: "the budget limits both arms equally", counts: two, rate: 1, budget: 30, a: [15], b: [15, 0] },
  { name: "a budget that is used up draws nothing", counts: two, rate: 1, budget: 0, a: [0], b: [0, 0] },
  { name: "fractions of a call are rounded up", counts: two, rate: 0.001, budget: null, a: [1], b: [1, 0] },
  {
    name: "a rounding error does not add a call",
    counts: [...countsOf("a", users(100, 1)), ...countsOf("b", users(50, 2))],
    rate: 0.07,
    budget: null,
    a: [7],
    b: [7, 0],
  },
  {
    name: "ranks may come in any order",
    counts: [...two].reverse(),
    rate: 0.5,
    budget: null,
    a: [25],
    b: [20, 5],
  },
])("$name", ({ counts, rate, budget, a, b }) => {
  expect(planSample(counts, { sampleRate: rate, budget })).toEqual({ a, b });
});

test.each([
  { sampleRate: 1, budget: null, all: true },
  { sampleRate: 1, budget: 99, all: false },
  { sampleRate: 0.99, budget: null, all: false },
])("a rate of $sampleRate within a budget of $budget takes all calls: $all", ({ all, ...size }) => {
  expect(takesAll(size)).toBe(all);
  if (all) expect(planSample(two, size)).toEqual({ a: [60], b: [20, 20] });
});

test("a day without calls draws nothing", () => {
  expect(planSample([], { sampleRate: 1, budget: null })).toEqual({});
});

const armUsers = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 40 });
const sizes = fc.record({
  sampleRate: fc.double({ min: 0.001, max: 1, noNaN: true }),
  budget: fc.option(fc.integer({ min: 0, max: 200 })),
});

test("arms give the same number within one call, except an arm that gives all it has; never more than the budget", () => {
  fc.assert(
    fc.property(fc.array(armUsers, { minLength: 1, maxLength: 4 }), sizes, (arms, size) => {
      const quotas = planSample(
        arms.flatMap((calls, index) => countsOf(`${index}`, calls)),
        size,
      );
      const drawn = arms.map((_, index) => (quotas[`${index}`] ?? []).reduce((sum, calls) => sum + calls, 0));
      const all = arms.map((calls) => calls.reduce((sum, count) => sum + count, 0));
      for (const [index, count] of drawn.entries())
        if (count < (all[index] ?? 0)) expect(Math.max(...drawn) - count).toBeLessThanOrEqual(1);
      if (size.budget !== null)
        expect(drawn.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(size.budget);
    }),
  );
});

test("more budget never draws fewer calls of a rank", () => {
  fc.assert(
    fc.property(armUsers, armUsers, sizes, fc.nat(50), (a, b, size, more) => {
      const counts = [...countsOf("a", a), ...countsOf("b", b)];
      const budget = size.budget ?? 100;
      const less = planSample(counts, { ...size, budget });
      const raised = planSample(counts, { ...size, budget: budget + more });
      for (const arm of ["a", "b"])
        for (const [rank, calls] of (less[arm] ?? []).entries())
          expect(raised[arm]?.[rank]).toBeGreaterThanOrEqual(calls);
    }),
  );
});

test("the probabilities of all calls add up to the calls drawn", () => {
  fc.assert(
    fc.property(armUsers, sizes, (calls, size) => {
      const counts = countsOf("a", calls);
      const quotas = planSample(counts, size);
      const probabilityOf = drawProbabilities(counts, quotas);
      const expected = calls.reduce(
        (sum, callsOfUser) => sum + callsOfUser * probabilityOf({ arm: "a", callsOfUser }),
        0,
      );
      expect(expected).toBeCloseTo(
        (quotas.a ?? []).reduce((sum, drawn) => sum + drawn, 0),
        9,
      );
    }),
  );
});

test("a drawn call's probability is the mean share over its possible ranks", () => {
  const counts = countsOf("a", [...users(5, 1), ...users(5, 2)]);
  const probabilityOf = drawProbabilities(counts, { a: [10, 1] });
  expect(probabilityOf({ arm: "a", callsOfUser: 1 })).toBe(1);
  expect(probabilityOf({ arm: "a", callsOfUser: 2 })).toBeCloseTo((1 + 1 / 5) / 2, 12);
  // Ranks beyond the counted ones are never drawn.
  expect(probabilityOf({ arm: "a", callsOfUser: 4 })).toBeCloseTo((1 + 1 / 5) / 4, 12);
});

test("every call is drawn as often as its probability says, over many salts", () => {
  const callsOfUsers = [1, 1, 1, 1, 2, 2, 2, 5];
  const counts = countsOf("a", callsOfUsers);
  const quotas = planSample(counts, { sampleRate: 0.7, budget: null });
  const probabilityOf = drawProbabilities(counts, quotas);
  const rounds = 20_000;
  const drawn = new Map<number, number>();
  for (let round = 0; round < rounds; round++) {
    // Draws like the event store: orders users by one hash, and takes as many of a user's calls as there are ranks that include the user.
    const order = callsOfUsers
      .map((calls, user) => ({ calls, hash: murmur3(`${round}:${user}`, 7) }))
      .sort((a, b) => a.hash - b.hash);
    for (const [rank, quota] of (quotas.a ?? []).entries())
      for (const { calls } of order.filter(({ calls }) => calls > rank).slice(0, quota))
        drawn.set(calls, (drawn.get(calls) ?? 0) + 1);
  }
  for (const callsOfUser of new Set(callsOfUsers)) {
    const allCalls = callsOfUser * callsOfUsers.filter((calls) => calls === callsOfUser).length;
    const share = (drawn.get(callsOfUser) ?? 0) / rounds / allCalls;
    expect(share).toBeCloseTo(probabilityOf({ arm: "a", callsOfUser }), 2);
  }
});

test("nothing was drawn of an arm, or a rank, without a quota", () => {
  const probabilityOf = drawProbabilities(countsOf("a", [2]), { a: [1] });
  expect(probabilityOf({ arm: "a", callsOfUser: 2 })).toBe(0.5);
  expect(probabilityOf({ arm: "b", callsOfUser: 1 })).toBe(0);
  expect(drawProbabilities(countsOf("a", [1]), {})({ arm: "a", callsOfUser: 1 })).toBe(0);
});

describe("calls that samplers kept", () => {
  const kept = (...probabilities: readonly number[]) =>
    keptProbabilities(probabilities.map((samplingProbability) => ({ arm: "a", samplingProbability })));

  test("count for those that were dropped, too", () => {
    expect(kept(1, 1)).toEqual([1, 1]);
    expect(kept(0.1, 0.1, 0.1)).toEqual([0.1, 0.1, 0.1]);
    expect(kept(...Array(60).fill(1), ...Array(60).fill(0.25))).toEqual([
      ...Array(60).fill(1),
      ...Array(60).fill(0.25),
    ]);
  });

  test("never stand for more than a twentieth of their arm where they differ", () => {
    const [wrong, ...others] = kept(2 ** -40, ...Array(399).fill(1));
    expect(1 / wrong!).toBeCloseTo((2 ** 20 + 399) / 20, 6);
    expect(others).toEqual(Array(399).fill(1));
    expect(kept(0.5, 1)).toEqual([1, 1]);
    // Each arm on its own.
    const arms = [
      { arm: "a", samplingProbability: 0.5 },
      { arm: "b", samplingProbability: 1 },
    ];
    expect(keptProbabilities(arms)).toEqual([0.5, 1]);
    expect(keptProbabilities([])).toEqual([]);
  });
});

const calls = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ eventId: `e${index}`, hasFailed: false }));

test("about 3 % are judged twice, different ones in another series, and never more than the budget allows", () => {
  const drawn = calls(20_000);
  const repeats = chooseRepeats(drawn, "m:1");
  expect(repeats.size).toBeGreaterThan(20_000 * REPEAT_SHARE * 0.9);
  expect(repeats.size).toBeLessThanOrEqual(20_000 * REPEAT_SHARE);
  expect(chooseRepeats(drawn.toReversed(), "m:1")).toEqual(repeats);
  const others = chooseRepeats(drawn, "m:2");
  expect([...others].filter((id) => repeats.has(id)).length).toBeLessThan(60);
});

test("with few calls, one is occasionally judged twice", () => {
  const sizesOfTen = Array.from({ length: 200 }, (_, index) => chooseRepeats(calls(10), `m:${index}`).size);
  expect(Math.max(...sizesOfTen)).toBe(1);
  expect(sizesOfTen).toContain(0);
});

test("which calls are judged twice does not depend on their order", () => {
  for (let day = 0; day < 50; day++) {
    const drawn = calls(40);
    expect(chooseRepeats(drawn.toReversed(), `m:${day}`)).toEqual(chooseRepeats(drawn, `m:${day}`));
  }
});

test("a failed call is not judged twice", () => {
  const failed = calls(1_000).map((call) => ({ ...call, hasFailed: true }));
  expect(chooseRepeats(failed, "m:1").size).toBe(0);
});

test("another version of a metric has another salt, and another day too", () => {
  expect(sampleSalt({ metric: "tone", metricVersion: 2 }, dayOf(0))).toBe("tone:2:1970-01-01");
});
