import { expect, test } from "vitest";
import { createLogThrottle } from "./log-throttle.ts";

test("one line per key and interval passes, with the number of lines suppressed before it", () => {
  const clock = { at: 0, now: () => clock.at };
  const throttle = createLogThrottle(1_000, clock);
  expect([throttle("a"), throttle("a"), throttle("b"), throttle("a")]).toEqual([0, null, 0, null]);
  clock.at = 1_000;
  expect([throttle("a"), throttle("b"), throttle("a")]).toEqual([2, 0, null]);
  clock.at = 5_000;
  expect(throttle("a")).toBe(1);
});
