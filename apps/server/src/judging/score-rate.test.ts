import { expect, test } from "vitest";
import { ScoreRate } from "./score-rate.ts";

test("the rate is that of the last five minutes", () => {
  let now = 0;
  const rate = new ScoreRate({ now: () => now });
  expect(rate.perMinute()).toBe(0);
  for (; now < 600_000; now += 1_000) rate.note();
  now -= 1_000;
  expect(rate.perMinute()).toBe(60);
  now += 150_000;
  expect(rate.perMinute()).toBe(30);
  now += 150_000;
  expect(rate.perMinute()).toBe(0);
});
