import { describe, expect, test } from "vitest";
import { fieldOfPointer } from "./field-of-pointer.ts";
import { checkPlan, decidesAlike, type PlanValues, planValues, toPlan } from "./plan-values.ts";

const values = (change: Partial<PlanValues> = {}): PlanValues => ({ ...planValues(), ...change });

describe("checkPlan", () => {
  test.each<[Partial<PlanValues>, readonly string[]]>([
    [{}, []],
    [{ horizonWeeks: 1 }, []],
    [{ horizonWeeks: 52, minWeeks: 52, alpha: 0.2, power: 0.99 }, []],
    [{ alpha: 0.001, power: 0.5 }, []],
    [{ horizonWeeks: 0 }, ["/plan/horizon_weeks", "/plan/min_weeks"]],
    [{ horizonWeeks: 53 }, ["/plan/horizon_weeks"]],
    [{ horizonWeeks: 1.5 }, ["/plan/horizon_weeks"]],
    [{ minWeeks: null }, ["/plan/min_weeks"]],
    [{ horizonWeeks: 1, minWeeks: 2 }, ["/plan/min_weeks"]],
    [{ alpha: null }, ["/plan/alpha"]],
    [{ alpha: 0.21 }, ["/plan/alpha"]],
    [{ power: 0.4 }, ["/plan/power"]],
    [{ reason: "x".repeat(1_001) }, ["/plan/reason"]],
  ])("%j: %j", (change, pointers) => {
    expect(checkPlan(values(change)).map(({ pointer }) => pointer)).toEqual(pointers);
  });
});

test.each([
  ["/plan", "plan.horizonWeeks"],
  ["/plan/horizon_weeks", "plan.horizonWeeks"],
  ["/plan/min_weeks", "plan.minWeeks"],
  ["/plan/alpha", "plan.alpha"],
  ["/plan/power", "plan.power"],
  ["/plan/reason", "plan.reason"],
  ["/plan/looks", "plan.horizonWeeks"],
])("an error at %s shows at %s", (pointer, field) => expect(fieldOfPointer(pointer)).toBe(field));

test("a reason is sent trimmed, belongs to one change, and alone changes nothing", () => {
  const sent = toPlan(values({ reason: "  A holiday. " }));
  expect(sent.reason).toBe("A holiday.");
  expect(planValues(sent).reason).toBe("");
  expect(toPlan(values())).not.toHaveProperty("reason");
  expect(decidesAlike(sent, toPlan(values()))).toBe(true);
  expect(decidesAlike(sent, toPlan(values({ horizonWeeks: 3 })))).toBe(false);
});
