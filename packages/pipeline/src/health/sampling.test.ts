import type { ArmSampling } from "@assay/domain";
import { describe, expect, test } from "vitest";
import { checkOf, checksOf } from "../test-support/health.ts";
import { metric, run } from "../test-support/runs.ts";

/** An arm of 1,000 users with two calls each, all kept with one probability unless changed. */
function sampled(arm: string, weight: number, change: Partial<ArmSampling> = {}): ArmSampling {
  const calls = 2_000;
  const sampledCalls = weight > 1 ? calls : 0;
  return {
    ...{ arm, users: 1_000, sampledUsers: 0, calls, sampledCalls, weight: weight * calls },
    ...{ smallestWeight: weight, largestWeight: weight },
    ...change,
  };
}
const check = (...sampling: readonly ArmSampling[]) => checkOf("sampled-calls", { sampling });

test("where no sampler dropped anything, there is no check", () => {
  for (const sampling of [[], [sampled("control", 1), sampled("treatment", 1)]])
    expect(checksOf({ sampling }).map(({ code }) => code)).not.toContain("sampled-calls");
});

test("with one probability, it says how much was kept", () => {
  expect(check(sampled("control", 10), sampled("treatment", 10))).toMatchObject({
    severity: "info",
    detail:
      "4,000 of 4,000 calls are from sampled traces. The calls that arrived stand for 40,000; kept: control 10%, treatment 10%.",
    action: null,
    value: 0,
    arms: { control: { count: 2_000, of: 20_000, share: 0.1 } },
  });
  expect(check(sampled("control", 10)).detail).toContain("stand for 20,000; kept: 10%.");
  expect(check(sampled("control", 10)).value).toBeNull();
  expect(check(sampled("control", 10, { weight: 19_999.6 })).detail).toContain("stand for 20,000;");
});

describe("different probabilities warn", () => {
  test("where each arm has one, however close they are", () => {
    const found = check(sampled("control", 1_000), sampled("treatment", 1_020));
    expect(found.severity).toBe("warning");
    expect(found.detail).toContain("The probability of treatment differs from control's.");
    expect(found.action).toContain("one probability");
    expect(check(sampled("control", 10), sampled("treatment", 1))).toMatchObject({
      severity: "warning",
      value: 0.9,
    });
  });

  test("but not for a rounded threshold: from a hundredth on they are different", () => {
    expect(check(sampled("control", 10), sampled("treatment", 10.000001)).severity).toBe("info");
    expect(check(sampled("control", 1_000), sampled("treatment", 1_009)).severity).toBe("info");
    expect(check(sampled("control", 1_000), sampled("treatment", 1_011)).severity).toBe("warning");
  });

  test("where calls of several probabilities are mixed, only beyond chance", () => {
    const mixed = { smallestWeight: 1, largestWeight: 10 };
    const of = (weight: number) =>
      check(sampled("control", 5, mixed), sampled("treatment", weight, mixed)).severity;
    expect(of(5.1)).toBe("info");
    expect(of(10)).toBe("warning");
  });

  test("not against an arm without calls, and not without control", () => {
    const none = { calls: 0, sampledCalls: 0, weight: 0, smallestWeight: 0, largestWeight: 0 };
    expect(check(sampled("control", 10), sampled("treatment", 10, none)).severity).toBe("info");
    expect(check(sampled("control", 10, none), sampled("treatment", 10)).severity).toBe("info");
    expect(check(sampled("treatment", 10)).severity).toBe("info");
  });
});

test("users whose exposure is on a sampled span show that others are missing", () => {
  const found = check(sampled("control", 10, { sampledUsers: 700 }), sampled("treatment", 10));
  expect(found.detail).toContain(
    "700 of 2,000 users have their first exposure on a sampled span: users of whom no trace",
  );
  expect(found.action).toContain("log records");
  // Outcomes of such users may come by themselves.
  const none = { calls: 0, sampledCalls: 0, weight: 0, sampledUsers: 3 };
  expect(check(sampled("control", 1, none)).severity).toBe("info");
});

test("a run says that its calls are sampled", () => {
  const sampling = [sampled("control", 10), sampled("treatment", 10)];
  const remarks = run({ metrics: [metric("m")] }, {}, { sampling }).health;
  expect(remarks).toContainEqual(expect.objectContaining({ code: "sampled-calls", severity: "info" }));
});
