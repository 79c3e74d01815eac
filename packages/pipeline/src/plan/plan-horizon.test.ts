import type { MetricDefinition } from "@assay/domain";
import { DEFAULT_PLAN } from "@assay/domain";
import { describe, expect, test } from "vitest";
import { metric } from "../test-support/runs.ts";
import { type HorizonInput, planHorizon } from "./plan-horizon.ts";

const variants = ["a", "b"].map((key) => ({
  ...{ key, prompt: null, variables: null, description: null, enabled: true },
}));
/** A mean of 10 ± 4. */
const known = { value: 10, sd: 4, source: "history" } as const;

function horizon(metrics: readonly MetricDefinition[], change: Partial<HorizonInput> = {}) {
  return planHorizon({
    config: { metrics, variants, control: "a", unit: "user" },
    shares: { a: 0.5, b: 0.5 },
    baselines: new Map(metrics.map(({ name }) => [name, known])),
    usersPerDay: 100,
    plan: DEFAULT_PLAN,
    ...change,
  });
}

const main = metric("main");
const guard = (margin: number) => metric("guard", { role: "guardrail", margin });

describe("the horizon", () => {
  test("is the number of whole weeks until the primary metrics find their targets", () => {
    // 2,010 users at 100 a day.
    expect(horizon([main])).toEqual({
      horizonWeeks: 3,
      basis: "traffic",
      expectedUsers: 2_100,
      notes: [],
    });
    expect(horizon([main, metric("side", { role: "secondary", targetEffect: 0.01 })]).horizonWeeks).toBe(3);
  });

  test("is corrected for the primary rows", () => {
    expect(horizon([main, metric("second")]).horizonWeeks).toBe(4);
  });

  test("is corrected for costs, too, where a margin makes a saving worth shipping", () => {
    const cost = metric("cost", {
      ...{ role: "secondary", category: "cost", desired: "decrease", targetEffect: 0.01 },
      source: { event: "model_call", field: "cost_usd" },
    });
    expect(horizon([main, cost]).horizonWeeks).toBe(3);
    expect(horizon([main, guard(2), cost]).horizonWeeks).toBe(4);
    expect(horizon([main, { ...cost, margin: 2 }]).horizonWeeks).toBe(3);
  });

  test("is long enough for every margin", () => {
    // (2.80)² 32 / .4² = 1,570 users per arm.
    expect(horizon([main, guard(0.4)]).horizonWeeks).toBe(5);
    expect(horizon([main, guard(2)]).horizonWeeks).toBe(3);
  });

  test("is longer when a saving may decide as well", () => {
    const cost = metric("cost", {
      role: "secondary",
      category: "cost",
      source: { event: "model_call", field: "cost_usd" },
    });
    expect(horizon([main, guard(2), cost]).horizonWeeks).toBe(4);
  });

  test("is at most eight weeks unless the minimum run is longer, and says how long the targets would take", () => {
    const distant = horizon([metric("main", { targetEffect: 0.01 })]);
    expect(distant).toMatchObject({ horizonWeeks: 8, basis: "traffic", expectedUsers: 5_600 });
    expect(distant.notes.join()).toContain("72 weeks");
    const patient = { ...DEFAULT_PLAN, minWeeks: 10 };
    expect(horizon([metric("main", { targetEffect: 0.01 })], { plan: patient }).horizonWeeks).toBe(10);
    expect(horizon([main], { plan: patient }).horizonWeeks).toBe(10);
  });

  test("is two weeks when the traffic or the metrics are unknown, and says so", () => {
    const blind = horizon([main], { usersPerDay: null });
    expect(blind).toMatchObject({ horizonWeeks: 2, basis: "default", expectedUsers: null });
    expect(blind.notes[0]).toContain("users per day are not known");
    const unknown = horizon([main], { baselines: new Map() });
    expect(unknown).toMatchObject({ horizonWeeks: 2, basis: "default", expectedUsers: 1_400 });
    expect(unknown.notes[0]).toContain('nothing is known about "main"');
    expect(horizon([]).notes[0]).toContain("there is no target or margin to plan for");
    expect(horizon([], { plan: { ...DEFAULT_PLAN, minWeeks: 3 } }).horizonWeeks).toBe(3);
  });

  test("leaves out and names metrics with unknown spread", () => {
    const partly = horizon([main, guard(0.4)], { baselines: new Map([["main", known]]) });
    expect(partly.horizonWeeks).toBe(3);
    expect(partly.notes).toEqual(['The horizon leaves out "guard": their spread is not known.']);
  });

  test("says which targets and margins no number of users reaches", () => {
    const share = metric("share", { kind: "binary" });
    const baselines = new Map([["share", { value: 0.97, sd: 0.17, source: "request" } as const]]);
    expect(horizon([share], { baselines }).notes).toEqual([
      'The horizon is 2 weeks because no number of users reaches the target or margin of "share": nothing could be planned.',
    ]);
    expect(horizon([share, main], { baselines }).notes[0]).toContain(
      'because nothing is known about "main" and no number of users reaches the target or margin of "share":',
    );
    expect(horizon([main, guard(0)]).notes).toEqual([
      'The horizon leaves out "guard": no number of users reaches the target or margin.',
    ]);
  });
});
