import { describe, expect, test } from "vitest";
import { faultPointers } from "../test-support/faults.ts";
import { firstExperiment } from "../test-support/first-experiment.ts";
import type { ConfigInput } from "./make-config.ts";
import { nextVersion } from "./next-version.ts";

const first = firstExperiment({
  variants: [{ key: "a" }, { key: "b" }, { key: "off", enabled: false }],
});
const afterAll = (...changes: readonly Partial<ConfigInput>[]) => {
  let experiment = first;
  for (const change of changes) {
    experiment = { ...experiment, ...nextVersion(experiment, change, new Set()) };
  }
  return experiment;
};
const ship = { status: "shipped", shippedVariant: "b" } as const;

describe("the shipped variant", () => {
  test("is null until shipped, survives changes, and is cleared when the experiment is stopped again", () => {
    expect(first.config.shippedVariant).toBeNull();
    expect(afterAll(ship).config).toMatchObject(ship);
    expect(afterAll(ship, { description: "d" }).config).toMatchObject(ship);
    expect(afterAll(ship, { shippedVariant: "a" }).config.shippedVariant).toBe("a");
    expect(afterAll(ship, { status: "stopped" }).config).toMatchObject({
      ...{ status: "stopped", shippedVariant: null },
    });
    expect(afterAll(ship, { status: "stopped" }, { status: "running" }).bucketMap).toEqual(first.bucketMap);
  });

  test("keeps the decision, which may come with it", () => {
    const decision = { outcome: "won", variant: "b", note: null } as const;
    expect(afterAll({ ...ship, decision }).config.decision).toEqual(decision);
    expect(afterAll({ status: "stopped", decision }, ship, { status: "stopped" }).config.decision).toEqual(
      decision,
    );
  });

  test.each<{ change: Partial<ConfigInput>; pointers: readonly string[] }>([
    { change: { status: "shipped" }, pointers: ["/shipped_variant"] },
    { change: { status: "shipped", shippedVariant: "c" }, pointers: ["/shipped_variant"] },
    { change: { status: "shipped", shippedVariant: "off" }, pointers: ["/shipped_variant"] },
    { change: { shippedVariant: "b" }, pointers: ["/shipped_variant"] },
    { change: { status: "stopped", shippedVariant: "b" }, pointers: ["/shipped_variant"] },
  ])("is refused for $change", ({ change, pointers }) => {
    expect(faultPointers(() => afterAll(change))).toEqual(pointers);
  });

  test("cannot be disabled, because then nobody would get anything", () => {
    const variants = [{ key: "a" }, { key: "b", enabled: false }, { key: "off" }];
    expect(faultPointers(() => afterAll(ship, { variants }))).toEqual(["/shipped_variant"]);
  });
});
