import { describe, expect, test } from "vitest";
import { effectiveAllocation } from "../allocation/bucket-map.ts";
import { faultPointers } from "../test-support/faults.ts";
import { firstExperiment } from "../test-support/first-experiment.ts";
import type { Experiment, ExperimentConfig, Rollout } from "./config.ts";
import { DEFAULT_GUARD, isRelative, mergeGuard } from "./guard.ts";
import { beginHold, endHold } from "./hold.ts";
import type { ConfigInput } from "./make-config.ts";
import { nextVersion } from "./next-version.ts";
import { advanced, coverageOfStage, datedConfig, nextStageAt } from "./rollout.ts";

const input: Partial<ConfigInput> = {
  bucketCount: 1000,
  allocation: [
    { variant: "control", weight: 1 },
    { variant: "b", weight: 1 },
  ],
  rollout: { stages: [1, 5, 20, 50], minMinutes: 60 },
};

/** Version 1, made at an instant. */
function created(change: Partial<ConfigInput> = {}, at = 0): Experiment {
  const first = firstExperiment({ ...input, ...change });
  return { ...first, createdAt: at, updatedAt: at, config: datedConfig(first.config, null, at) };
}

/** The next version, made at an instant. */
function next(current: Experiment, change: Partial<ConfigInput>, at: number): Experiment {
  const { config, bucketMap } = nextVersion(current, change, new Set());
  return { ...current, updatedAt: at, bucketMap, config: datedConfig(config, current.config, at) };
}

const rolloutOf = ({ config }: { config: ExperimentConfig }): Rollout => config.rollout!;

describe("a rollout", () => {
  test("gives treatments the stage's percent of the users, with the weights as they are", () => {
    let experiment = created();
    for (const percent of [1, 5, 20, 50]) {
      const shares = effectiveAllocation(experiment.bucketMap);
      expect(shares).toEqual({ control: percent / 100, b: percent / 100 });
      expect(experiment.config.coverage).toBeCloseTo((2 * percent) / 100, 12);
      if (percent < 50) experiment = next(experiment, { rollout: advanced(rolloutOf(experiment)) }, 1);
    }
  });

  test.each([
    { weights: { control: 9, b: 1 }, percent: 5, coverage: 0.5 },
    { weights: { control: 1, b: 1, c: 2 }, percent: 30, coverage: 0.4 },
    { weights: { control: 0, b: 1 }, percent: 100, coverage: 1 },
    { weights: { control: 1, b: 2 }, percent: 200 / 3, coverage: 1 },
  ])("of $percent% at $weights takes $coverage of the buckets", ({ weights, percent, coverage }) => {
    const allocation = Object.entries(weights).map(([variant, weight]) => ({ variant, weight }));
    expect(coverageOfStage(percent, { allocation, control: "control" })).toBeCloseTo(coverage, 12);
  });

  test("begins its stage with the start, with each stage, and again after a hold", () => {
    const draft = created({ status: "draft" });
    expect(rolloutOf(draft).since).toBeNull();
    const started = next(draft, { status: "running" }, 10);
    expect(rolloutOf(started)).toMatchObject({ stage: 0, since: 10 });
    const edited = next(started, { description: "d" }, 20);
    expect(rolloutOf(edited).since).toBe(10);
    const raised = next(edited, { rollout: advanced(rolloutOf(edited)) }, 30);
    expect(rolloutOf(raised)).toMatchObject({ stage: 1, since: 30 });
    const cause = { at: 40, reason: null, guardrail: null };
    const held = next(raised, { holds: beginHold(raised.config, cause) }, 40);
    expect(rolloutOf(held).since).toBe(30);
    expect(rolloutOf(next(held, { holds: endHold(held.config, 50) }, 50)).since).toBe(50);
    const stopped = next(raised, { status: "stopped" }, 60);
    expect(rolloutOf(stopped).since).toBe(30);
    expect(rolloutOf(next(stopped, { status: "running" }, 70)).since).toBe(70);
  });

  test("may go up after its minutes, until the last stage", () => {
    const rollout = { stages: [1, 50], minMinutes: 60, stage: 0, since: 1000 };
    expect(nextStageAt(rollout)).toBe(1000 + 3_600_000);
    expect(nextStageAt({ ...rollout, stage: 1 })).toBeNull();
    expect(nextStageAt({ ...rollout, since: null })).toBeNull();
  });

  test("goes on at the largest of other stages that it has reached", () => {
    const at5 = next(created(), { rollout: advanced(rolloutOf(created())) }, 1);
    const change = (stages: readonly number[]) =>
      rolloutOf(next(at5, { rollout: { stages, minMinutes: 9 } }, 2));
    expect(change([2, 4, 10])).toMatchObject({ stages: [2, 4, 10], minMinutes: 9, stage: 1, since: 1 });
    expect(change([5, 6])).toMatchObject({ stage: 0 });
    expect(change([10, 20])).toMatchObject({ stage: 0 });
  });

  test("lasts its minutes anew where other stages reach more users at once", () => {
    const raised = next(created(), { rollout: { stages: [30, 50], minMinutes: 9 } }, 2);
    expect(rolloutOf(raised)).toMatchObject({ stage: 0, since: 2 });
  });

  test("ends, and leaves the coverage where it is", () => {
    const ended = next(created(), { rollout: null }, 1);
    expect([ended.config.rollout, ended.config.coverage]).toEqual([null, 0.02]);
    expect(next(ended, { coverage: 0.5 }, 2).config.coverage).toBe(0.5);
  });

  test.each<{ what: string; change: Partial<ConfigInput>; pointers: readonly string[] }>([
    {
      what: "falls",
      change: { rollout: { stages: [5, 1], minMinutes: 1 } },
      pointers: ["/rollout/stages/1"],
    },
    {
      what: "stays",
      change: { rollout: { stages: [5, 5], minMinutes: 1 } },
      pointers: ["/rollout/stages/1"],
    },
    {
      what: "needs more than the weights give",
      change: { rollout: { stages: [10, 60], minMinutes: 1 } },
      pointers: ["/rollout/stages/1"],
    },
    {
      what: "begins with less than a bucket for an arm",
      change: { rollout: { stages: [0.05, 50], minMinutes: 1 } },
      pointers: ["/rollout/stages/0"],
    },
    {
      what: "begins with a bucket for each arm, but for one without a weight",
      change: {
        allocation: [...input.allocation!, { variant: "c", weight: 0 }],
        rollout: { stages: [0.1, 50], minMinutes: 1 },
      },
      pointers: [],
    },
    { what: "comes with a coverage", change: { coverage: 0.5 }, pointers: ["/coverage"] },
    {
      what: "is of another system's flag",
      change: { assignment: "external", flagKey: "f" },
      pointers: ["/guard", "/rollout"],
    },
  ])("that $what is refused at $pointers", ({ change, pointers }) => {
    expect(faultPointers(() => created(change))).toEqual(pointers);
  });

  test("takes its own coverage in a sent config, no other, and cannot be added to a started experiment", () => {
    const experiment = created();
    expect(faultPointers(() => next(experiment, { coverage: 0.02, description: "d" }, 1))).toEqual([]);
    expect(faultPointers(() => next(experiment, { coverage: 0.5 }, 1))).toEqual(["/coverage"]);
    const { rollout } = input;
    const without = { rollout: null };
    expect(faultPointers(() => next(created(without), { rollout: rollout! }, 1))).toEqual(["/rollout"]);
    const draft = created({ ...without, status: "draft" });
    expect(faultPointers(() => next(draft, { rollout: rollout!, status: "running" }, 1))).toEqual([]);
  });
});

describe("a guard", () => {
  test("is off by default, and on with a rollout unless it is switched off", () => {
    expect(created({ rollout: null }).config.guard).toBeNull();
    expect(created().config.guard).toEqual(DEFAULT_GUARD);
    expect(created({ guard: null }).config.guard).toBeNull();
  });

  test("has defaults for what is not sent, keeps what it had, and can leave signals out", () => {
    expect(mergeGuard(null, {})).toEqual(DEFAULT_GUARD);
    const changed = mergeGuard(null, { latency: null, errorRate: 0.5 })!;
    expect(changed).toEqual({ ...DEFAULT_GUARD, latency: null, errorRate: 0.5 });
    expect(mergeGuard(changed, { truncation: 0 })).toEqual({ ...changed, truncation: 0 });
    expect([mergeGuard(changed, undefined), mergeGuard(changed, null)]).toEqual([changed, null]);
  });

  test("counts latency and cost relative to control", () => {
    const relative = Object.keys(DEFAULT_GUARD).filter((signal) =>
      isRelative(signal as keyof typeof DEFAULT_GUARD),
    );
    expect(relative).toEqual(["latency", "costPerCall", "costPerUser"]);
  });
});
