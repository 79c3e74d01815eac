import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RUN_FIELDS, type RunField } from "../experiment/metric.ts";
import {
  AGENT_RUN_OUTCOMES,
  type AgentRun,
  type AgentRunOutcome,
  isOver,
  isPerCompletedRun,
  NO_STEPS,
  needsRunEnds,
  outcomeOf,
  RUN_IDLE_MS,
  runFromExposure,
  valueOfRun,
  withSteps,
} from "./agent-run.ts";

const T0 = Date.UTC(2026, 10, 20, 12);
const UNTIL = T0 + 12 * 3_600_000;
const RUN: AgentRun = {
  ...{ firstAt: T0, lastAt: T0 + 5_000, turns: 3, toolCalls: 2, toolErrors: 1 },
  ...{ costUsd: 0.25, pricedCalls: 2, handoffs: 1, variant: "a", completed: true },
};

describe("whether a run counts", () => {
  test.each<{ what: string; run: Partial<AgentRun>; outcome: AgentRunOutcome }>([
    { what: "its end says that its task was done", run: {}, outcome: "done" },
    { what: "its end says that it was not", run: { completed: false }, outcome: "failed" },
    { what: "it began at the exposure and names no variant", run: { variant: "" }, outcome: "done" },
    { what: "it began before the exposure", run: { firstAt: T0 - 1 }, outcome: "early" },
    { what: "it names another variant", run: { variant: "b" }, outcome: "mixed" },
    { what: "it names several variants", run: { variant: null }, outcome: "mixed" },
    {
      what: "it began early, and in another variant",
      run: { firstAt: T0 - 1, variant: "b" },
      outcome: "early",
    },
    {
      what: "it has been idle for just long enough",
      run: { completed: null, lastAt: UNTIL - RUN_IDLE_MS },
      outcome: "idle",
    },
    {
      what: "it has not been idle for long enough",
      run: { completed: null, lastAt: UNTIL - RUN_IDLE_MS + 1 },
      outcome: "open",
    },
    { what: "it ended just before the cut-off", run: { lastAt: UNTIL - 1 }, outcome: "done" },
  ])("$outcome: $what", ({ run, outcome }) => {
    expect(outcomeOf({ ...RUN, ...run }, { startedAt: T0, arm: "a", until: UNTIL })).toBe(outcome);
  });

  test("only runs that have ended are in metrics", () => {
    expect(AGENT_RUN_OUTCOMES.filter(isOver)).toEqual(["done", "failed", "idle"]);
  });
});

describe("a run that is the unit", () => {
  test("begins with its exposure", () => {
    expect(runFromExposure(RUN, T0 - 7)).toEqual({ ...RUN, firstAt: T0 - 7 });
    expect(runFromExposure(RUN, T0 + 7)).toEqual({ ...RUN, firstAt: T0 });
    expect(runFromExposure(RUN, T0 + 9_000)).toEqual({ ...RUN, lastAt: T0 + 9_000 });
  });

  test("without any other event did nothing", () => {
    const run = runFromExposure(null, T0);
    expect(RUN_FIELDS.map((field) => valueOfRun(run, field))).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    expect(run.pricedCalls).toBe(0);
    expect(outcomeOf(run, { startedAt: T0, arm: "a", until: UNTIL })).toBe("idle");
  });
});

describe("the value of a run", () => {
  test.each<[RunField, Partial<AgentRun>, number]>([
    ["turns", {}, 3],
    ["steps", {}, 5],
    ["tool_calls", {}, 2],
    ["tool_errors", {}, 1],
    ["duration_ms", {}, 5_000],
    ["cost_usd", {}, 0.25],
    ["cost_usd", { pricedCalls: 0, costUsd: 0 }, Number.NaN],
    ["cost_usd", { turns: 0, pricedCalls: 0, costUsd: 0 }, 0],
    ["completed", {}, 1],
    ["completed", { completed: false }, 0],
    ["completed", { completed: null }, 0],
    ["handoffs", {}, 1],
  ])("%s of %j is %d", (field, change, value) => {
    expect(valueOfRun({ ...RUN, ...change }, field)).toBe(value);
  });
});

describe("what a metric needs", () => {
  const run = (field: RunField) => ({ event: "run", field }) as const;
  test.each([
    { metric: { kind: "ratio", source: run("cost_usd") }, ends: true, perCompleted: true },
    { metric: { kind: "mean", source: run("cost_usd") }, ends: false, perCompleted: false },
    { metric: { kind: "ratio", source: run("turns") }, ends: false, perCompleted: false },
    { metric: { kind: "binary", source: run("completed") }, ends: true, perCompleted: false },
    { metric: { kind: "ratio", source: run("completed") }, ends: true, perCompleted: false },
    {
      metric: { kind: "ratio", source: { event: "model_call", field: "cost_usd" } },
      ...{ ends: false, perCompleted: false },
    },
    { metric: { kind: "mean", source: { event: "judge" } }, ends: false, perCompleted: false },
  ] as const)("$metric: ends $ends, per task done $perCompleted", ({ metric, ends, perCompleted }) => {
    expect([needsRunEnds(metric), isPerCompletedRun(metric)]).toEqual([ends, perCompleted]);
  });
});

describe("handoffs", () => {
  const steps = (text: string, from = 0) => [...text].map((agent, i) => ({ at: from + i, agent }));
  test.each([
    ["", 0],
    ["a", 0],
    ["aaa", 0],
    ["ab", 1],
    ["aabba", 2],
    ["abcabc", 5],
  ])("of %j: %i", (text, handoffs) => {
    expect(withSteps(NO_STEPS, steps(text))!.handoffs).toBe(handoffs);
  });

  test("are the same in whatever order the calls come, and in however many steps", () => {
    const anySteps = fc.array(
      fc.record({ at: fc.integer({ min: 0, max: 9 }), agent: fc.constantFrom("a", "b", "c") }),
    );
    fc.assert(
      fc.property(anySteps, fc.integer({ min: 0, max: 10 }), (all, cut) => {
        const whole = withSteps(NO_STEPS, all);
        expect(withSteps(NO_STEPS, all.toReversed())).toEqual(whole);
        const before = withSteps(
          NO_STEPS,
          all.filter(({ at }) => at < cut),
        )!;
        expect(
          withSteps(
            before,
            all.filter(({ at }) => at >= cut),
          ),
        ).toEqual(whole);
      }),
    );
  });

  test("cannot be continued by a call that came before, or at the same instant", () => {
    const known = withSteps(NO_STEPS, steps("ab"))!;
    expect(withSteps(known, steps("c", 1))).toBeNull();
    expect(withSteps(known, steps("c", 2))).toEqual({ last: { at: 2, agent: "c" }, handoffs: 2 });
    expect(withSteps(known, [])).toEqual(known);
  });
});
