import { describe, expect, test } from "vitest";
import type { MetricDefinition, MetricResult } from "../../../api/types.ts";
import { axisOf, type ShownEffect, shownEffect } from "./shown-effect.ts";

const row = {
  metric: "m",
  role: "guardrail",
  desired: "decrease",
  control_value: 200,
  effect: 20,
  ci_low: 10,
  ci_high: 30,
  ci_seq_low: 0,
  ci_seq_high: 40,
  relative_effect: 0.1,
  relative_ci_low: 0.05,
  relative_ci_high: null,
} as MetricResult;
const metric = (change: Partial<MetricDefinition>) => ({
  metrics: [
    {
      name: "m",
      kind: "mean",
      category: "cost",
      margin: 50,
      source: { event: "model_call", field: "cost_usd" },
      ...change,
    },
  ] as MetricDefinition[],
});

describe("shownEffect", () => {
  test("relative: bounds of the test, the always-valid ones and the tolerance against control's value", () => {
    expect(shownEffect(row, "relative", metric({}))).toMatchObject({
      effect: 0.1,
      low: 0.05,
      high: null,
      seqLow: 0,
      seqHigh: 0.2,
      tolerance: 0.25,
    });
  });

  test("absolute: a tolerated loss of what should increase lies below zero, and only with a margin is there one", () => {
    expect(shownEffect({ ...row, desired: "increase" }, "absolute", metric({}))).toMatchObject({
      low: 10,
      tolerance: -50,
    });
    expect(shownEffect({ ...row, role: "primary" }, "absolute", metric({}))).toMatchObject({
      tolerance: 50,
    });
    expect(shownEffect(row, "absolute", metric({ margin: null }))).toMatchObject({ tolerance: null });
  });

  test("without an always-valid interval there are no wings", () => {
    const shown = shownEffect({ ...row, ci_seq_low: null, ci_seq_high: null }, "absolute", metric({}));
    expect(shown).not.toHaveProperty("seqLow");
  });

  test.each([
    { change: { kind: "mean", category: "cost" }, says: "+\u2060$200000.00" },
    { change: { kind: "binary", category: "business" }, says: "+200,000\u00a0users" },
  ] as const)("per 10,000 users: $change.kind of $change.category", ({ change, says }) => {
    const shown = shownEffect(row, "per-10000", metric(change)) as ShownEffect;
    expect(shown.write(shown.effect).replaceAll(",", "")).toBe(says.replaceAll(",", ""));
  });

  test("totals are over the units of the experiment", () => {
    const ofConversations = {
      ...metric({ kind: "binary", category: "business" }),
      unit: "conversation",
    } as const;
    const shown = shownEffect(row, "per-10000", ofConversations) as ShownEffect;
    expect(shown.write(shown.effect)).toMatch(/conversations$/);
    const ratio = { ...metric({ kind: "ratio" }), unit: "run" } as const;
    expect(shownEffect(row, "per-10000", ratio)).toMatch(/^No total over runs/);
  });

  test.each([
    { mode: "per-10000", experiment: metric({ kind: "ratio" }), why: /is not a sum/ },
    { mode: "per-10000", experiment: metric({ kind: "ordinal" }), why: /ranks/i },
    { mode: "per-10000", experiment: metric({ category: "latency" }), why: /cost and business/ },
    { mode: "per-10000", experiment: { metrics: [] }, why: /no longer defined/ },
  ] as const)("says why $mode does not apply: $why", ({ mode, experiment, why }) => {
    expect(shownEffect(row, mode, experiment)).toMatch(why);
  });

  test("says why there is no relative change", () => {
    const none = { ...row, relative_effect: null };
    expect(shownEffect({ ...none, control_value: 0 }, "relative", metric({}))).toMatch(/not above 0/);
    expect(shownEffect(none, "relative", metric({}))).toMatch(/no relative/);
  });
});

const bar = (effect: number, low: number | null, high: number | null): ShownEffect => ({
  effect,
  low,
  high,
  tolerance: null,
  write: String,
});

test.each([
  { name: "reaches over every interval, evenly", effects: [bar(-0.18, -0.21, -0.15)], max: 0.3 },
  {
    name: "is cut where one wide interval would hide the others",
    effects: [bar(0.1, 0.05, 0.15), bar(0.1, -5, 5), bar(0, -0.1, 0.1)],
    max: 0.3,
  },
  { name: "stands an open interval", effects: [bar(0.1, null, null)], max: 0.1 },
  { name: "stands no effect at all", effects: [bar(0, 0, 0)], max: 1 },
])("the shared axis $name", ({ effects, max }) => {
  expect(axisOf(effects)).toEqual({ min: expect.closeTo(-max, 12), max: expect.closeTo(max, 12) });
});
