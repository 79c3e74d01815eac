import { describe, expect, test } from "vitest";
import { sums } from "../test-support/arms.ts";
import { codes, manual, metric, run } from "../test-support/runs.ts";
import { collectingEntry, isEligible } from "./eligibility.ts";

describe("eligibility", () => {
  const data = (control: { users: number; events: number }, treatment: { users: number; events: number }) => [
    sums({ metric: "m", arm: "control" }, control.users, { events: control.events }),
    sums({ metric: "m", arm: "treatment" }, treatment.users, { events: treatment.events }),
  ];
  test.each([
    {
      name: "199 events in an arm",
      control: { users: 100, events: 199 },
      treatment: { users: 100, events: 900 },
      exists: false,
    },
    {
      name: "200 events in every arm",
      control: { users: 100, events: 200 },
      treatment: { users: 100, events: 200 },
      exists: true,
    },
    {
      name: "19 users in an arm",
      control: { users: 19, events: 400 },
      treatment: { users: 100, events: 400 },
      exists: false,
    },
    {
      name: "20 users in every arm",
      control: { users: 20, events: 400 },
      treatment: { users: 20, events: 400 },
      exists: true,
    },
  ])("a nightly row with $name exists: $exists", ({ control, treatment, exists }) => {
    const results = run({ metrics: [metric("m")] }, { metrics: data(control, treatment) });
    expect(Object.keys(results.results)).toHaveLength(exists ? 1 : 0);
    expect(codes(results)).toEqual(exists ? [] : ["metric-collecting"]);
  });

  test("a manual run needs only what its test needs", () => {
    const few = run(
      { metrics: [metric("m")] },
      { metrics: data({ users: 2, events: 2 }, { users: 3, events: 3 }) },
      { label: manual },
    );
    expect(few.results["m::treatment"]).toMatchObject({ preliminary: true });
    expect(few.computedFor).toBe("manual-2026-11-21T00:00:00.000Z");
    const one = run(
      { metrics: [metric("m")] },
      { metrics: data({ users: 1, events: 1 }, { users: 3, events: 3 }) },
      { label: manual },
    );
    expect(one.results).toEqual({});
  });

  test("a metric without events is collecting, with counts of zero", () => {
    const results = run({ metrics: [metric("m")] }, {});
    expect(results.health[0]?.detail).toContain("control 0 events of 0 users");
  });
});

test("the test of a manual run needs two users in every arm, and says so", () => {
  const counts = (users: number) => ["control", "treatment"].map((arm) => ({ arm, users, events: 9 }));
  expect(isEligible(counts(1), manual)).toBe(false);
  expect(isEligible(counts(2), manual)).toBe(true);
  expect(collectingEntry(metric("m"), counts(1), { label: manual, unit: "user" }).detail).toBe(
    "m is collecting: control 9 events of 1 user, treatment 9 events of 1 user. Every arm needs 2 users.",
  );
});

test("what still collects names the arms that lack the most, and counts the others", () => {
  const arms = (events: readonly number[]) =>
    events.map((count, index) => ({ arm: `v${index}`, users: count, events: count }));
  const detailOf = (events: readonly number[]) =>
    collectingEntry(metric("m"), arms(events), { label: manual, unit: "user" }).detail;
  expect(detailOf([9, 0, 7, 1, 8])).toBe(
    "m is collecting: v1 0 events of 0 users, v3 1 event of 1 user, v2 7 events of 7 users, at least as many events in 2 more arms. Every arm needs 2 users.",
  );
  expect(detailOf([9, 0, 7, 1])).toContain("v0 9 events of 9 users, v1 0 events of 0 users, v2 7");
});
