import { expect, test } from "vitest";
import { nextAttemptAt, RETRY_JITTER, RETRY_WAITS_MS } from "./delivery-schedule.ts";

const HOUR_MS = 3_600_000;

test("the waits grow, and all attempts together take a day", () => {
  expect([...RETRY_WAITS_MS]).toEqual(RETRY_WAITS_MS.toSorted((a, b) => a - b));
  const total = RETRY_WAITS_MS.reduce((sum, wait) => sum + wait, 0);
  expect(total).toBeGreaterThan(23.5 * HOUR_MS);
  expect(total).toBeLessThan(24.5 * HOUR_MS);
});

test.each([
  { attempts: 1, random: 0.5, wait: 10_000 },
  { attempts: 1, random: 0, wait: 9_000 },
  { attempts: 1, random: 1, wait: 11_000 },
  { attempts: 7, random: 0.5, wait: HOUR_MS },
  { attempts: RETRY_WAITS_MS.length, random: 0.5, wait: 8 * HOUR_MS },
])("after $attempts attempts and a random $random, it waits $wait ms", ({ attempts, random, wait }) => {
  expect(nextAttemptAt(attempts, 1_000, random)).toBe(1_000 + wait);
  expect(RETRY_JITTER).toBe(0.1);
});

test("after the last attempt there is no next one", () => {
  expect(nextAttemptAt(RETRY_WAITS_MS.length + 1, 0, 0.5)).toBeNull();
});
