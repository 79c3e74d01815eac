import { describe, expect, test } from "vitest";
import { checkPlan, checkPlanChange, DEFAULT_PLAN, mergePlan } from "./decision-plan.ts";

const planned = { ...DEFAULT_PLAN, horizonWeeks: 2, basis: "traffic", expectedUsers: 5_000 } as const;

describe("a change of the plan", () => {
  test("applies the fields it names and keeps the rest", () => {
    const change = { minWeeks: 2, looks: "fixed", alpha: 0.1, power: 0.9, futility: false } as const;
    expect(mergePlan(planned, { ...change, reason: "more care" })).toEqual({
      ...planned,
      ...change,
      reason: "more care",
    });
    expect(mergePlan(planned, {})).toEqual(planned);
  });

  test("of the horizon keeps the users per week, and its basis becomes the request", () => {
    expect(mergePlan(planned, { horizonWeeks: 3 })).toMatchObject({ basis: "request", expectedUsers: 7_500 });
    expect(mergePlan(planned, { horizonWeeks: 2 })).toMatchObject({ basis: "traffic", expectedUsers: 5_000 });
    const unknown = { ...planned, expectedUsers: null };
    expect(mergePlan(unknown, { horizonWeeks: 3 })).toMatchObject({ basis: "request", expectedUsers: null });
    expect(mergePlan(DEFAULT_PLAN, { horizonWeeks: 3 })).toMatchObject({
      basis: "request",
      expectedUsers: null,
    });
    expect(mergePlan(planned, { horizonWeeks: null })).toMatchObject({ basis: null, expectedUsers: null });
  });

  test("that is planned sets its own basis", () => {
    const horizon = { horizonWeeks: 4, basis: "traffic", expectedUsers: 9_000 } as const;
    expect(mergePlan(DEFAULT_PLAN, horizon)).toMatchObject(horizon);
    expect(mergePlan(planned, { basis: "default" })).toMatchObject({ basis: "default", expectedUsers: null });
  });

  test("keeps its reason until the next change, which has its own or none", () => {
    const told = mergePlan(planned, { alpha: 0.1, reason: "fewer users than hoped" });
    expect(mergePlan(told, { reason: "another" }).reason).toBe("fewer users than hoped");
    expect(mergePlan(told, { alpha: 0.2 }).reason).toBeNull();
  });
});

describe("after users were exposed", () => {
  const pointers = (change: Parameters<typeof checkPlanChange>[1]) =>
    checkPlanChange(planned, change).map(({ pointer }) => pointer);

  test.each([
    { horizonWeeks: 3 },
    { minWeeks: 2 },
    { looks: "fixed" },
    { alpha: 0.01 },
    { power: 0.9 },
    { futility: false },
  ] as const)("%o needs a reason", (change) => {
    expect(pointers(change)).toEqual(["/plan/reason"]);
    expect(pointers({ ...change, reason: "" })).toEqual(["/plan/reason"]);
    expect(pointers({ ...change, reason: "why" })).toEqual([]);
  });

  test("a change without effect needs none", () => {
    expect(pointers({ ...planned, reason: null })).toEqual([]);
  });
});

test("a minimum run longer than the horizon is refused", () => {
  const pointers = (minWeeks: number, horizonWeeks: number | null) =>
    checkPlan({ ...planned, minWeeks, horizonWeeks }).map(({ pointer }) => pointer);
  expect(pointers(3, 2)).toEqual(["/plan/min_weeks"]);
  expect([pointers(2, 2), pointers(9, null)]).toEqual([[], []]);
});
