import type { DomainError } from "@assay/domain";
import { describe, expect, test } from "vitest";
import type { KeyHolder } from "../config/key-ring.ts";
import { createRateLimits, type RateSettings } from "./rate-limits.ts";

const rates: RateSettings = {
  assignPerSecond: 1,
  eventsPerSecond: 2,
  publicRowsPerSecond: 10,
  publicBytesPerSecond: 500,
  rowsPerSecond: 100,
  bytesPerSecond: 1_000,
  configPerSecond: 3,
  businessEventsPerSecond: 4,
  importPerMinute: 1,
  analysesPerMinute: 2,
  searchesPerMinute: 3,
};

function limitsAt(start = 1_000_000) {
  const clock = { at: start };
  return { clock, limits: createRateLimits(rates, { now: () => clock.at }) };
}

const holder = (orgId = "org"): KeyHolder => ({
  orgId,
  scope: "publishable",
  prefix: "svc_pk_12345",
  hash: "hash",
  allowedOrigins: null,
});

/** How many takes pass before one is refused, and with what. */
function exhaust(take: () => void): { readonly passed: number; readonly error: DomainError } {
  for (let passed = 0; passed < 1_000; passed++) {
    try {
      take();
    } catch (error) {
      return { passed, error: error as DomainError };
    }
  }
  throw new Error("Nothing was refused.");
}

describe("rate limits", () => {
  test.each([
    { policy: "assign", passed: 2, quota: 1, windowSeconds: 1, retryAfterSeconds: 1 },
    { policy: "events", passed: 4, quota: 2, windowSeconds: 1, retryAfterSeconds: 1 },
    { policy: "config", passed: 6, quota: 3, windowSeconds: 1, retryAfterSeconds: 1 },
    { policy: "import", passed: 2, quota: 1, windowSeconds: 60, retryAfterSeconds: 60 },
  ] as const)("of $policy pass a burst per key, then say what and when", (row) => {
    const { limits } = limitsAt();
    const key = holder();
    const { passed, error } = exhaust(() => limits[row.policy].take(key));
    const { policy, quota, windowSeconds, retryAfterSeconds } = row;
    expect(passed).toBe(row.passed);
    expect(error).toMatchObject({
      kind: "rate-limited",
      retryAfterSeconds,
      limit: { policy, quota, windowSeconds },
    });
    expect(() => limits[row.policy].take(holder())).not.toThrow();
  });

  test("are taken without an error, and given back whole", () => {
    const { limits } = limitsAt();
    const key = holder();
    const takes = [19, 1, 5, 0].map((rows) => limits.publicRows.tryTake(key, rows));
    expect(takes).toEqual([true, true, false, false]);
    limits.publicRows.giveBack(key, 19);
    expect([18, 1, 1].map((rows) => limits.publicRows.tryTake(key, rows))).toEqual([true, true, false]);
    limits.publicRows.giveBack(key);
    expect([1, 1].map((rows) => limits.publicRows.tryTake(key, rows))).toEqual([true, false]);
  });

  test("of rows are taken by the batch: one that finds a row left passes whole, and is paid back", () => {
    const { clock, limits } = limitsAt();
    const key = holder();
    for (const rows of [0, 19, 0, 11]) limits.publicRows.take(key, rows);
    const { passed, error } = exhaust(() => limits.publicRows.take(key, 0));
    expect(passed).toBe(0);
    expect(error).toMatchObject({
      kind: "rate-limited",
      message: expect.stringContaining("10 rows a second for this key"),
      retryAfterSeconds: 2,
      limit: { policy: "public-rows", quota: 10, windowSeconds: 1 },
    });
    clock.at += 1_100;
    expect(() => limits.publicRows.take(key, 1_000)).not.toThrow();
  });

  test.each([
    { policy: "analyses", passed: 4, quota: 2, retryAfterSeconds: 30 },
    { policy: "searches", passed: 6, quota: 3, retryAfterSeconds: 20 },
  ] as const)("of $policy are counted by org", ({ policy, passed, ...limit }) => {
    const { limits } = limitsAt();
    const { passed: taken, error } = exhaust(() => limits[policy].take("org"));
    expect(taken).toBe(passed);
    expect(error).toMatchObject({
      message: `The limit of ${limit.quota} ${policy} a minute for this organization is reached: try again in ${limit.retryAfterSeconds} s.`,
      retryAfterSeconds: limit.retryAfterSeconds,
      limit: { policy, quota: limit.quota, windowSeconds: 60 },
    });
    expect(() => limits[policy].take("another org")).not.toThrow();
  });

  test("recover with time, independently of each other", () => {
    const { clock, limits } = limitsAt();
    const key = holder();
    exhaust(() => limits.assign.take(key));
    expect(() => limits.events.take(key)).not.toThrow();
    clock.at += 1_000;
    expect(() => limits.assign.take(key)).not.toThrow();
    expect(() => limits.assign.take(key)).toThrow("1 requests a second for this key");
  });

  test("hold per org for verified business events", () => {
    const { limits } = limitsAt();
    const { passed, error } = exhaust(() => limits.businessEvents.take("a"));
    expect([passed, error.limit?.policy]).toEqual([8, "business-events"]);
    expect(() => limits.businessEvents.take("b")).not.toThrow();
  });

  test("of signatures count only what is not given back", () => {
    const { limits } = limitsAt();
    for (let i = 0; i < 1_000; i++) {
      limits.signatures.take("10.0.0.1");
      limits.signatures.giveBack("10.0.0.1");
    }
    expect(exhaust(() => limits.signatures.take("10.0.0.1")).passed).toBe(200);
  });

  test.each([
    { one: "10.0.0.1", other: "10.0.0.2", shared: false },
    { one: "::ffff:10.0.0.1", other: "::ffff:10.0.0.2", shared: false },
    { one: "::ffff:10.0.0.1", other: "10.0.0.1", shared: true },
    { one: "2001:db8:1:2::1", other: "2001:db8:1:2:ffff::9", shared: true },
    { one: "2001:db8::1", other: "2001:db8:0:0:5:6:7:8", shared: true },
    { one: "2001:db8:1:2::1", other: "2001:db8:1:3::1", shared: false },
    { one: "2001::2:3:4:5:6:7", other: "2001:0:2:3::1", shared: true },
    { one: "::1", other: "::2", shared: true },
    { one: "fe80::1", other: "::1", shared: false },
  ])("of signatures: $one and $other share a bucket: $shared", ({ one, other, shared }) => {
    const { limits } = limitsAt();
    exhaust(() => limits.signatures.take(one));
    const take = () => limits.signatures.take(other);
    if (shared) expect(take).toThrow("address");
    else expect(take).not.toThrow();
  });

  test("keep the buckets of 10,000 addresses, the newest", () => {
    const { limits } = limitsAt();
    exhaust(() => limits.signatures.take("first"));
    for (let i = 0; i < 9_999; i++) limits.signatures.take(`a${i}`);
    expect(() => limits.signatures.take("first")).toThrow();
    limits.signatures.take("one more");
    expect(() => limits.signatures.take("first")).not.toThrow();
  });
});
