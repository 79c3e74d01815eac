import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { burstOf, fullBucket, type RateLimit, returnToken, takeToken } from "./token-bucket.ts";

const perSecond = (quota: number): RateLimit => ({ policy: "events", quota, windowSeconds: 1 });
const perMinute = (quota: number): RateLimit => ({ policy: "import", quota, windowSeconds: 60 });

/** Which of the attempts at these instants pass. */
function passesAt(limit: RateLimit, instants: readonly number[]): readonly boolean[] {
  const bucket = fullBucket(limit, instants[0] ?? 0);
  return instants.map((now) => takeToken(bucket, limit, now) === 0);
}

const times = (count: number, everyMs: number) => Array.from({ length: count }, (_, i) => i * everyMs);

describe("a token bucket", () => {
  test.each([
    { name: "a burst of twice the quota", limit: perSecond(2), at: times(5, 0), passed: [1, 1, 1, 1, 0] },
    {
      name: "one more after one interval",
      limit: perSecond(2),
      at: [0, 0, 0, 0, 499, 500, 501],
      passed: [1, 1, 1, 1, 0, 1, 0],
    },
    {
      name: "no more than a burst after a long pause",
      limit: perSecond(1),
      at: [0, 1e9, 1e9, 1e9],
      passed: [1, 1, 1, 0],
    },
    {
      name: "the rate of a minute",
      limit: perMinute(1),
      at: [0, 0, 59_999, 60_000, 119_999],
      passed: [1, 1, 0, 1, 0],
    },
    {
      name: "on, while the clock jumps back",
      limit: perSecond(1),
      at: [9e6, 5e6, 0, 999, 1000],
      passed: [1, 1, 0, 0, 1],
    },
  ])("lets pass $name", ({ limit, at, passed }) => {
    expect(passesAt(limit, at)).toEqual(passed.map(Boolean));
  });

  test.each([
    { limit: perSecond(4), now: 0, waitMs: 250 },
    { limit: perSecond(4), now: 100, waitMs: 150 },
    { limit: perMinute(10), now: 0, waitMs: 6_000 },
  ])("returns how long to wait: %j", ({ limit, now, waitMs }) => {
    const bucket = fullBucket(limit, 0);
    for (let i = 0; i < burstOf(limit); i++) takeToken(bucket, limit, 0);
    expect(takeToken(bucket, limit, now)).toBeCloseTo(waitMs, 6);
    expect(takeToken(bucket, limit, now + waitMs)).toBe(0);
  });

  test("takes a token back, never beyond the burst", () => {
    const limit = perSecond(1);
    const bucket = fullBucket(limit, 0);
    returnToken(bucket, limit);
    expect(times(3, 0).map((now) => takeToken(bucket, limit, now) === 0)).toEqual([true, true, false]);
    returnToken(bucket, limit);
    expect(takeToken(bucket, limit, 0)).toBe(0);
    expect(takeToken(bucket, limit, 0)).toBeGreaterThan(0);
  });

  test("takes several back", () => {
    const limit = perSecond(4);
    const bucket = fullBucket(limit, 0);
    takeToken(bucket, limit, 0, 20);
    returnToken(bucket, limit, 13);
    expect([0, 0].map((now) => takeToken(bucket, limit, now) === 0)).toEqual([true, false]);
  });

  test("takes several at once if there is one, and pays back the debt first", () => {
    const limit = perSecond(4);
    const bucket = fullBucket(limit, 0);
    expect([7, 5].map((count) => takeToken(bucket, limit, 0, count))).toEqual([0, 0]);
    // Four too many, and one to take: five at four a second.
    for (const count of [0, 1, 100]) expect(takeToken(bucket, limit, 0, count)).toBe(1_250);
    expect(takeToken(bucket, limit, 1_249, 0)).toBeGreaterThan(0);
    expect(takeToken(bucket, limit, 1_250, 0)).toBe(0);
    expect(takeToken(bucket, limit, 1_250)).toBe(0);
  });

  const limits = fc.record({
    policy: fc.constant("p"),
    quota: fc.integer({ min: 1, max: 5_000 }),
    windowSeconds: fc.constantFrom(1, 60),
  });

  test("allows no time window more than the burst plus the rate", () => {
    fc.assert(
      fc.property(limits, fc.array(fc.nat(400), { minLength: 1, maxLength: 400 }), (limit, gaps) => {
        let now = 1_700_000_000_000;
        const instants = gaps.flatMap((gap) => {
          now += gap < 300 ? 0 : gap;
          return [now, now, now];
        });
        const passes = passesAt(limit, instants);
        const passed = instants.filter((_, i) => passes[i]);
        return passed.every((from, i) =>
          passed.slice(i).every((to, n) => {
            const granted = ((to - from) * limit.quota) / (limit.windowSeconds * 1000);
            return n + 1 <= burstOf(limit) + granted + 1e-6;
          }),
        );
      }),
      { numRuns: 30 },
    );
  });

  test("never refuses a steady rate within the limit", () => {
    fc.assert(
      fc.property(limits, fc.double({ min: 1, max: 50, noNaN: true }), (limit, slack) => {
        const everyMs = ((limit.windowSeconds * 1000) / limit.quota) * slack;
        return passesAt(limit, times(1_000, everyMs)).every(Boolean);
      }),
    );
  });

  test("is never locked by a clock that jumps: it waits at most one interval, and has 0 to a burst of tokens", () => {
    fc.assert(
      fc.property(
        limits,
        fc.array(fc.integer({ min: 0, max: 1e13 }), { minLength: 1 }),
        (limit, instants) => {
          const bucket = fullBucket(limit, 0);
          const intervalMs = (limit.windowSeconds * 1000) / limit.quota;
          return instants.every((now) => {
            const waitMs = takeToken(bucket, limit, now);
            return waitMs <= intervalMs + 1e-6 && bucket.tokens >= 0 && bucket.tokens <= burstOf(limit);
          });
        },
      ),
    );
  });
});
