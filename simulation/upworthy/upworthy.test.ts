import { describe, expect, test } from "vitest";
import { judgeHeadlineTests } from "./judged-tests.ts";
import { loadHeadlineTests } from "./load-tests.ts";

test("all tests of the archive are loaded", () => {
  const tests = loadHeadlineTests();
  const total = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);
  expect(tests.length).toBe(4_873);
  expect(total(tests.map(({ impressions }) => impressions.length))).toBe(22_666);
  expect(total(tests.map(({ impressions }) => total(impressions)))).toBe(81_024_151);
  expect(total(tests.map(({ clicks }) => total(clicks)))).toBe(1_231_208);
  expect(tests.every(({ impressions, clicks }) => impressions.length === clicks.length)).toBe(true);
});

describe("the gate on the traffic split of real tests", () => {
  const judged = judgeHeadlineTests();
  const within = judged.filter(({ isInBrokenWeeks }) => isInBrokenWeeks);
  const outside = judged.filter(({ isInBrokenWeeks }) => !isInBrokenWeeks);
  const halted = (tests: typeof judged) => tests.filter(({ isHalted }) => isHalted).length;

  test("stops two thirds of those that ran while randomization was broken", () => {
    expect([halted(within), within.length]).toEqual([736, 1_102]);
  });

  test("stops one in two hundred of the rest", () => {
    expect([halted(outside), outside.length]).toEqual([17, 3_771]);
  });
});
