import { expect, test } from "vitest";
import { sparingly } from "./sparingly.ts";

test("of each key one passes in an interval, and tells how many were left out before it", () => {
  const clock = { at: 0, now: () => clock.at };
  const passes = sparingly(1_000, clock);
  expect([passes("a"), passes("a"), passes("b"), passes("a")]).toEqual([0, null, 0, null]);
  clock.at = 1_000;
  expect([passes("a"), passes("b"), passes("a")]).toEqual([2, 0, null]);
  clock.at = 5_000;
  expect(passes("a")).toBe(1);
});
