import { describe, expect, test } from "vitest";
import { checkOf, treated } from "../test-support/health.ts";
import { armHealth } from "../test-support/runs.ts";

describe("the cache-hit gap", () => {
  test.each([
    { name: "ok below ten points", cached: 59_900, calls: 1000, severity: "ok" },
    { name: "a warning at ten points or more", cached: 62_500, calls: 1000, severity: "warning" },
    { name: "a warning in the other direction too", cached: 10_000, calls: 1000, severity: "warning" },
    { name: "only info while an arm has few calls", cached: 62_500, calls: 99, severity: "info" },
  ])("is $name", ({ cached, calls, severity }) => {
    const data = treated({ cachedInputTokens: cached, completedCalls: calls });
    expect(checkOf("cache-hit-gap", data)).toMatchObject({
      severity,
      measure: "gap",
      value: expect.closeTo(Math.abs(cached - 50_000) / 100_000, 12),
      threshold: 0.1,
      since: null,
    });
  });

  test("is the widest of several arms' gaps", () => {
    const shares = { control: 50_000, b: 52_000, c: 80_000 };
    const health = Object.entries(shares).map(([arm, cachedInputTokens]) =>
      armHealth(arm, 1000, { cachedInputTokens }),
    );
    expect(checkOf("cache-hit-gap", { arms: Object.keys(shares), health })).toMatchObject({
      value: expect.closeTo(0.3, 12),
      detail: "50% of the input tokens of control came from the provider's cache, compared with 80% for c.",
    });
  });

  test.each([
    { name: "a single arm", data: { arms: ["control"] } },
    { name: "a treatment without tokens", data: treated({ inputTokens: 0, cachedInputTokens: 0 }) },
    { name: "a control without tokens", data: treated({}, { inputTokens: 0, cachedInputTokens: 0 }) },
  ])("is not judged with $name", ({ data }) => {
    expect(checkOf("cache-hit-gap", data)).toMatchObject({ severity: "no-data", value: null });
  });

  test("stays a share when cached tokens are reported separately", () => {
    const data = treated({ inputTokens: 10, cachedInputTokens: 50 });
    expect(checkOf("cache-hit-gap", data).arms.treatment?.share).toBe(1);
  });
});
