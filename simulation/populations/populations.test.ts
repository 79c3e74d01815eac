import { describe, expect, test } from "vitest";
import { createDraw } from "../random/draw.ts";
import {
  callingUsers,
  failingUsers,
  latencyQuantile,
  latencySums,
  latencyVariance,
  meanLatency,
  returningUsers,
} from "./calls.ts";
import { balanced, drawStrata, mapStrata, ramp, unbalanced } from "./design.ts";
import { busyUsers, gradedUsers, type JudgedCall, passingUsers } from "./judged-calls.ts";
import * as users from "./per-user.ts";

const USERS = 40_000;
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const variance = (values: readonly number[]) => mean(values.map((value) => value ** 2)) - mean(values) ** 2;

test.each([
  [users.normalUsers(1)],
  [users.skewedUsers(0.2)],
  [users.revenueUsers(0.5)],
  [users.scoredUsers()],
  [users.driftingUsers(2)],
  [users.convertingUsers(0.3, 0.06)],
  [users.driftingConversions()],
])("$name: the arms have the stated means", (population) => {
  const [stratum] = drawStrata(createDraw(population.name), balanced(USERS), population.user);
  const near = (values: readonly number[], expected: number) =>
    expect(Math.abs(mean(values) - expected)).toBeLessThan(4 * Math.sqrt(variance(values) / USERS));
  near(stratum!.control, population.mean);
  near(stratum!.treatment, population.mean + population.effect);
});

test("the second period of drifting users differs, equally in both arms", () => {
  const user = users.driftingUsers().user;
  const draw = createDraw("drift");
  const late = Array.from({ length: USERS }, () => user(draw, { arm: 1, period: 1 }));
  expect(Math.abs(mean(late) - 9)).toBeLessThan(0.06);
});

describe("calls", () => {
  const [stratum] = drawStrata(createDraw("calls"), balanced(USERS), callingUsers(0.5).user);
  const [control, treatment] = [stratum!.control.flat(), stratum!.treatment.flat()];

  test("have the stated mean and quantiles, all larger by the lift in the treatment", () => {
    const quantile = (calls: readonly number[], share: number) =>
      calls.toSorted((a, b) => a - b)[Math.floor(share * calls.length)]!;
    expect(mean(control) / meanLatency()).toBeCloseTo(1, 1);
    expect(mean(treatment) / meanLatency()).toBeCloseTo(1.5, 1);
    for (const share of [0.5, 0.95]) {
      expect(quantile(control, share) / latencyQuantile(share)).toBeCloseTo(1, 1);
      expect(quantile(treatment, share) / latencyQuantile(share) / 1.5).toBeCloseTo(1, 1);
    }
  });

  test("have the stated variance of the mean per call", () => {
    const calls = mean(stratum!.control.map(({ length }) => length));
    const scores = stratum!.control.map((own) => own.reduce((sum, call) => sum + call - meanLatency(), 0));
    expect(Math.abs(variance(scores) / calls ** 2 / latencyVariance() - 1)).toBeLessThan(0.1);
  });

  test("add up to the same ratio", () => {
    const sums = latencySums(callingUsers());
    const [place, name] = [{ arm: 0, period: 0 } as const, "one user"];
    const calls = callingUsers().user(createDraw(name), place);
    const { y, d } = sums.user(createDraw(name), place);
    expect(d).toBe(calls.length);
    expect(y).toBeCloseTo(
      calls.reduce((sum, call) => sum + call, 0),
      8,
    );
  });

  test("of returning users correlate before and after", () => {
    const draw = createDraw("returning");
    const list = Array.from({ length: USERS }, () => returningUsers().user(draw, { arm: 0, period: 0 }));
    const [before, after] = [list.map(({ x, xd }) => x / xd), list.map(({ y, d }) => y / d)];
    const product = mean(before.map((value, k) => value * after[k]!));
    const covariance = product - mean(before) * mean(after);
    expect(covariance / Math.sqrt(variance(before) * variance(after))).toBeGreaterThan(0.3);
  });

  test("fail two times in a hundred", () => {
    const draw = createDraw("failing");
    const list = Array.from({ length: USERS }, () => failingUsers().user(draw, { arm: 0, period: 0 }));
    expect(mean(list.map(({ y }) => y)) / mean(list.map(({ d }) => d))).toBeCloseTo(0.02, 2);
  });
});

test("a design has the users it names, period by period", () => {
  const sizes = (design: ReturnType<typeof ramp>) =>
    mapStrata(
      drawStrata(createDraw("design"), design, () => 1),
      ({ length }) => length,
    );
  expect(sizes(balanced(3))).toEqual([{ control: 3, treatment: 3 }]);
  expect(sizes(unbalanced(4, 1))).toEqual([{ control: 4, treatment: 1 }]);
  expect(sizes(ramp(10))).toEqual([
    { control: 9, treatment: 1 },
    { control: 5, treatment: 5 },
  ]);
});

describe("judged calls", () => {
  /**
   * Means over all calls, in which each drawn call represents 1 / probability calls, and their standard
   * error.
   */
  const weighted = (users: readonly (readonly JudgedCall[])[], of: "score" | "label") => {
    const sums = users.map((own) => own.reduce((sum, call) => sum + call.weight * call[of], 0));
    const weights = users.map((own) => own.reduce((sum, { weight }) => sum + weight, 0));
    const perUser = mean(weights);
    const value = mean(sums) / perUser;
    const gaps = sums.map((sum, k) => (sum - value * weights[k]!) / perUser);
    return { value, variance: variance(gaps) / users.length };
  };

  test.each([
    [gradedUsers({ effect: 0.04, bias: 0.02 })],
    [passingUsers({ effect: 0.1, bias: 0.05 })],
    [busyUsers({ effect: 0.1, bias: 0.02 })],
  ])("$name: labels and scores differ between the arms as stated", (population) => {
    const [stratum] = drawStrata(createDraw(population.name), balanced(USERS), population.user);
    const near = (of: "score" | "label", expected: number) => {
      const [control, treatment] = [weighted(stratum!.control, of), weighted(stratum!.treatment, of)];
      const error = Math.sqrt(control.variance + treatment.variance);
      expect(Math.abs(treatment.value - control.value - expected)).toBeLessThan(4 * error);
    };
    near("label", population.effect);
    near("score", population.judgedEffect);
  });

  test("of busy users need weights: those of heavy users are drawn less often and are worse", () => {
    const [stratum] = drawStrata(createDraw("busy"), balanced(USERS), busyUsers().user);
    const unweighted = mean(stratum!.control.flat().map(({ label }) => label));
    expect(unweighted - weighted(stratum!.control, "label").value).toBeGreaterThan(0.02);
  });
});
