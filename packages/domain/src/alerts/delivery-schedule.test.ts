import { expect, test } from "vitest";
import { FAILING_AFTER, nextAttemptAt, RETRY_JITTER, RETRY_WAITS_MS } from "./delivery-schedule.ts";

const HOUR_MS = 3_600_000;
const failed = (attempts: number) => ({ attempts, code: 500 });

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
  expect(nextAttemptAt(failed(attempts), 1_000, random)).toBe(1_000 + wait);
  expect(RETRY_JITTER).toBe(0.1);
});

test("after the last attempt there is no next one", () => {
  expect(nextAttemptAt(failed(RETRY_WAITS_MS.length + 1), 0, 0.5)).toBeNull();
});

test("a receiver that is gone is not tried again", () => {
  expect(nextAttemptAt({ attempts: 1, code: 410, retryAfter: "5" }, 0, 0.5)).toBeNull();
});

test.each([
  { asks: "120", wait: 120_000 },
  { asks: "Thu, 01 Jan 1970 00:02:00 GMT", wait: 120_000 },
  { asks: "86400", wait: HOUR_MS },
  { asks: "Fri, 01 Jan 2100 00:00:00 GMT", wait: HOUR_MS },
  // Shorter than its own wait, past, or not readable.
  { asks: "3", wait: 10_000 },
  { asks: "0", wait: 10_000 },
  { asks: "Wed, 31 Dec 1969 23:00:00 GMT", wait: 10_000 },
  { asks: "2026", wait: 2_026_000 },
  { asks: "soon GMT", wait: 10_000 },
  { asks: "-5", wait: 10_000 },
  { asks: "", wait: 10_000 },
])("a receiver that asks for a wait of $asks gets $wait ms", ({ asks, wait }) => {
  expect(nextAttemptAt({ attempts: 1, code: 503, retryAfter: asks }, 0, 0.5)).toBe(wait);
});

test("a channel counts as failing within ten minutes, and not at the first fault", () => {
  const elapsed = RETRY_WAITS_MS.slice(0, FAILING_AFTER - 1).reduce((sum, wait) => sum + wait, 0);
  expect(elapsed).toBeGreaterThan(5 * 60_000);
  expect(elapsed).toBeLessThan(10 * 60_000);
});
