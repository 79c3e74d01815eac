import { describe, expect, test } from "vitest";
import { planOf, scorePlan } from "../test-support/rehearsals.ts";
import {
  checkRehearsalPlan,
  checkRehearsalSize,
  MAX_ARM_PARAMETERS,
  MAX_OPEN_REHEARSALS,
  MAX_REHEARSAL_ANSWERS,
  MAX_REHEARSAL_ARMS,
  MAX_REHEARSAL_BUDGET_USD,
  MAX_REHEARSAL_REPEATS,
  MIN_REHEARSAL_ARMS,
  rehearsalJudgeVersion,
} from "./check-plan.ts";

const arm = { name: "a", prompt: null, model: "m", parameters: {} };
const faultsOf = (plan: Parameters<typeof checkRehearsalPlan>[0]) =>
  checkRehearsalPlan(plan).map(({ pointer, detail }) => `${pointer}: ${detail}`);

test("limits are as documented", () => {
  expect([MIN_REHEARSAL_ARMS, MAX_REHEARSAL_ARMS, MAX_REHEARSAL_REPEATS]).toEqual([2, 5, 5]);
  expect([MAX_OPEN_REHEARSALS, MAX_REHEARSAL_ANSWERS, MAX_ARM_PARAMETERS]).toEqual([5, 50_000, 10_000]);
  expect(MAX_REHEARSAL_BUDGET_USD).toBe(100_000);
});

describe("a plan", () => {
  test.each([planOf(), scorePlan({ margin: 4 }), planOf({ margin: 1 })])("is right", (plan) => {
    expect(faultsOf(plan)).toEqual([]);
  });

  test("tells its arms apart by name", () => {
    expect(faultsOf(planOf({ arms: [arm, { ...arm, name: "b" }, arm] }))).toEqual([
      "/arms/2/name: Another arm has this name: each arm needs its own.",
    ]);
  });

  test("leaves to the service what it sets itself", () => {
    const reserved = ["model", "messages", "n", "stream", "stream_options"];
    const parameters = { ...Object.fromEntries(reserved.map((name) => [name, 1])), temperature: 0 };
    expect(faultsOf(planOf({ arms: [arm, { ...arm, name: "b", parameters }] }))).toEqual(
      reserved.map((name) => `/arms/1/parameters/${name}: The service sets ${name} itself: leave it out.`),
    );
  });

  test.each([
    { length: MAX_ARM_PARAMETERS, faults: 0 },
    { length: MAX_ARM_PARAMETERS + 1, faults: 1 },
  ])("has parameters of $length characters: $faults faults", ({ length, faults }) => {
    const parameters = { stop: "x".repeat(length - '{"stop":""}'.length) };
    expect(faultsOf(planOf({ arms: [{ ...arm, parameters }] }))).toHaveLength(faults);
  });

  test.each([
    { plan: planOf({ margin: 1.01 }), detail: "a preference runs from -1 to 1." },
    { plan: scorePlan({ margin: 4.01 }), detail: "the scale 1-5 has 4." },
  ])("has a margin that its judge can miss: $detail", ({ plan, detail }) => {
    expect(faultsOf(plan)).toEqual([expect.stringContaining(detail)]);
  });
});

test.each([
  { inputs: 0, detail: "The dataset has no inputs: choose another dataset, or upload inputs." },
  { inputs: 8_333, detail: null },
  {
    inputs: 8_334,
    detail:
      "8334 inputs × 3 arms × 2 repeats are 50,004 answers, and a rehearsal has at most 50,000: take a smaller dataset, fewer arms or fewer repeats.",
  },
])("$inputs inputs: $detail", ({ inputs, detail }) => {
  const faults = checkRehearsalSize(planOf({ repeats: 2 }), inputs);
  expect(faults).toEqual(detail === null ? [] : [{ pointer: "/dataset_id", detail }]);
});

test("as many answers as a rehearsal may have are not too many", () => {
  const plan = { arms: planOf().arms.slice(0, 2), repeats: 5 };
  expect(checkRehearsalSize(plan, MAX_REHEARSAL_ANSWERS / 10)).toEqual([]);
  expect(checkRehearsalSize(plan, MAX_REHEARSAL_ANSWERS / 10 + 1)).toHaveLength(1);
});

test("another judge has another version, and the scale counts only in mode score", () => {
  const { judge } = planOf();
  const versions = [
    rehearsalJudgeVersion("m", judge),
    rehearsalJudgeVersion("n", judge),
    rehearsalJudgeVersion("m", { ...judge, rubric: "Is it kind?" }),
    rehearsalJudgeVersion("m", scorePlan().judge),
    rehearsalJudgeVersion("m", { ...scorePlan().judge, scale: "0-1" }),
  ];
  expect(new Set(versions).size).toBe(5);
  expect(rehearsalJudgeVersion("m", { ...judge, scale: "0-1" })).toBe(versions[0]);
});
