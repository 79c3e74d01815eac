import { describe, expect, test } from "vitest";
import { DomainError } from "../problem.ts";
import type { ConfigInput } from "./make-config.ts";
import { firstVersion, nextVersion } from "./next-version.ts";

const input: ConfigInput = {
  name: "e",
  salt: "s",
  bucketCount: 100,
  allocation: [
    { variant: "a", weight: 1 },
    { variant: "b", weight: 1 },
  ],
  variants: [{ key: "a" }, { key: "b" }, { key: "off", enabled: false }],
  metrics: [],
};
const first = {
  ...{ id: "e1", orgId: "o", version: 1, servedAt: null, isDemo: false, createdAt: 0, updatedAt: 0 },
  ...firstVersion(input),
};
const afterAll = (...changes: readonly Partial<ConfigInput>[]) => {
  let experiment = first;
  for (const change of changes) {
    experiment = { ...experiment, ...nextVersion(experiment, change, new Set()) };
  }
  return experiment;
};
const ship = { status: "shipped", shippedVariant: "b" } as const;

function faultsOf(run: () => unknown): readonly string[] {
  try {
    run();
    return [];
  } catch (error) {
    if (error instanceof DomainError) return error.faults.map(({ pointer }) => pointer);
    throw error;
  }
}

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
    expect(faultsOf(() => afterAll(change))).toEqual(pointers);
  });

  test("cannot be disabled, because then nobody would get anything", () => {
    const variants = [{ key: "a" }, { key: "b", enabled: false }, { key: "off" }];
    expect(faultsOf(() => afterAll(ship, { variants }))).toEqual(["/shipped_variant"]);
  });
});
