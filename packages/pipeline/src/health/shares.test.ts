import type { ArmHealth, CheckCode, Finding } from "@assay/domain";
import { describe, expect, test } from "vitest";
import { AT, checkOf, found, treated } from "../test-support/health.ts";
import { armHealth } from "../test-support/runs.ts";

describe("shares of faulty events", () => {
  test.each<{ code: CheckCode; change: (finding: Finding) => Partial<ArmHealth>; warnsAt: number }>([
    { code: "missing-usage", change: (missingUsage) => ({ missingUsage }), warnsAt: 100 },
    { code: "unpriced-calls", change: (unpriced) => ({ unpriced }), warnsAt: 100 },
    { code: "error-rate", change: (errors) => ({ errors }), warnsAt: 500 },
    { code: "truncated-answers", change: (truncated) => ({ truncated }), warnsAt: 200 },
    { code: "cut-streams", change: (cutStreams) => ({ cutStreams }), warnsAt: 500 },
    { code: "other-model", change: (otherModel) => ({ otherModel }), warnsAt: 100 },
    { code: "late-events", change: (late) => ({ late }), warnsAt: 200 },
    { code: "future-events", change: (future) => ({ future }), warnsAt: 20 },
    { code: "variant-conflicts", change: (variantConflicts) => ({ variantConflicts }), warnsAt: 200 },
  ])("$code is a warning from its threshold, and info below it", ({ code, change, warnsAt }) => {
    // Equal in both arms, so that only the share can alarm.
    const both = (finding: Finding) => ({
      health: ["control", "treatment"].map((arm) => armHealth(arm, 10_000, change(finding))),
    });
    expect(checkOf(code, both(found(warnsAt - 1)))).toMatchObject({ severity: "info", measure: "share" });
    const alarmed = checkOf(code, both(found(warnsAt)));
    expect(alarmed).toMatchObject({ severity: "warning", measure: "share", since: AT });
    expect(alarmed.value).toBe(alarmed.threshold);
    expect(alarmed.action).not.toBeNull();
    expect(alarmed.detail).toMatch(
      /^[\d,]+ of [\d,]+ (calls|completed calls|calls that name a model|events) \(/,
    );
    expect(alarmed.arms.treatment?.count).toBe(warnsAt);
    expect(checkOf(code, both(found(0, null)))).toMatchObject({ severity: "ok", action: null, since: null });
  });

  test("the worst arm decides; since is the first fault of any arm", () => {
    const small = armHealth("treatment", 300, { otherModel: found(12, AT + 5) });
    const large = armHealth("control", 100_000, { otherModel: found(3, AT) });
    expect(checkOf("other-model", { health: [large, small] })).toMatchObject({
      severity: "warning",
      value: 0.04,
      since: AT,
    });
  });

  test("an arm without events has no share", () => {
    const errors = armHealth("control", 1_000, { errors: found(20) });
    expect(checkOf("error-rate", { health: [errors, armHealth("treatment", 0)] })).toMatchObject({
      value: 0.02,
      arms: { treatment: { count: 0, of: 0, share: null } },
    });
  });

  test("a handful never alarms, whatever its share", () => {
    const data = { health: [armHealth("control", 20), armHealth("treatment", 20, { errors: found(5) })] };
    expect(checkOf("error-rate", data)).toMatchObject({ severity: "info", value: 0.25 });
  });

  test("models without a price are listed, most used first", () => {
    const models = ["b", "a", "c", "d", "e"].map((model) => ({
      model,
      calls: 30,
      unpricedCalls: model === "e" ? 9 : 3,
    }));
    const priced = { model: "priced", calls: 900, unpricedCalls: 0 };
    const data = treated({ unpriced: found(21), models: [priced, ...models] });
    expect(checkOf("unpriced-calls", data).detail).toContain("By model: e (9), a (3), b (3), and 2 more.");
    const few = treated({ unpriced: found(3), models: [priced, models[0]!] });
    expect(checkOf("unpriced-calls", few).detail).toMatch(/By model: b \(3\)\.$/);
    const one = treated({ unpriced: found(1), models: [priced, { ...models[0]!, unpricedCalls: 1 }] });
    expect(checkOf("unpriced-calls", one).detail).toMatch(/By model: b \(1\)\.$/);
  });
});

test("arms that only events name come after the experiment's variants", () => {
  const health = ["ghost-b", "ghost-a", "treatment"].map((arm) => armHealth(arm, 10));
  expect(Object.keys(checkOf("error-rate", { health }).arms)).toEqual([
    "control",
    "treatment",
    "ghost-a",
    "ghost-b",
  ]);
});

describe("arms that differ", () => {
  test.each([
    { name: "by more than chance alarm below the threshold", errors: 40, users: 1000, severity: "warning" },
    { name: "by chance do not", errors: 20, users: 100, severity: "info" },
    { name: "count their users, not their calls", errors: 40, users: 100, severity: "info" },
  ])("$name", ({ errors, users, severity }) => {
    const arm = (name: string, count: number) =>
      armHealth(name, users, { calls: 1000, errors: found(count) });
    const check = checkOf("error-rate", { health: [arm("control", 1), arm("treatment", errors)] });
    expect(check.severity).toBe(severity);
    expect(check.measure).toBe(severity === "warning" ? "gap" : "share");
  });

  test("show the gap, its threshold and both shares", () => {
    const check = checkOf("truncated-answers", {
      health: [armHealth("control", 10_000), armHealth("treatment", 10_000, { truncated: found(150) })],
    });
    expect(check).toMatchObject({ severity: "warning", measure: "gap", value: 0.015, threshold: 0.01 });
    expect(check.detail).toBe(
      "150 of 20,000 completed calls (0.75%) were cut off at the token limit: control 0%, treatment 1.5%; treatment differs from control by more than chance explains.",
    );
  });

  test("by less than a point never alarm, however certain", () => {
    const check = checkOf("error-rate", {
      health: [armHealth("control", 1e6), armHealth("treatment", 1e6, { errors: found(9_000) })],
    });
    expect(check).toMatchObject({ severity: "info", measure: "share" });
  });

  test("name the arm that differs most", () => {
    const errors = { control: 1, b: 60, c: 90, d: 70 };
    const health = Object.entries(errors).map(([arm, count]) =>
      armHealth(arm, 2000, { errors: found(count) }),
    );
    const check = checkOf("error-rate", { arms: Object.keys(errors), health });
    expect(check.value).toBeCloseTo(89 / 2000, 12);
    expect(check.detail).toContain("; c differs from control");
  });

  test("with few errors are compared exactly", () => {
    const health = [armHealth("control", 1000), armHealth("treatment", 100, { errors: found(2) })];
    // The normal approximation gives p = 0.000008, Fisher's test 0.0082.
    expect(checkOf("error-rate", { health })).toMatchObject({ severity: "info", measure: "share" });
  });

  test("need a control with events", () => {
    const check = checkOf("error-rate", { health: [armHealth("treatment", 1000, { errors: found(40) })] });
    expect(check).toMatchObject({ severity: "info", detail: "40 of 1,000 calls (4%) ended in an error." });
  });

  test("share the level among all comparisons", () => {
    const errors = { control: 2, b: 21, c: 2, d: 2, e: 2 };
    const health = Object.entries(errors).map(([arm, count]) =>
      armHealth(arm, 1000, { errors: found(count) }),
    );
    const isAlarmed = (arms: readonly string[]) =>
      checkOf("error-rate", { arms, health: health.filter(({ arm }) => arms.includes(arm)) }).severity;
    expect(isAlarmed(["control", "b"])).toBe("warning");
    expect(isAlarmed(["control", "b", "c", "d", "e"])).toBe("warning");
    const fewer = health.map((row) => (row.arm === "b" ? { ...row, errors: found(17) } : row));
    expect(checkOf("error-rate", { health: fewer.slice(0, 2) }).severity).toBe("warning");
    expect(checkOf("error-rate", { arms: ["control", "b", "c", "d", "e"], health: fewer }).severity).toBe(
      "info",
    );
  });
});
