import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { powerOf } from "./power.ts";
import { detectableEffect, nonInferiorityUsers, requiredUsers } from "./sample-size.ts";

const unit = { controlVariance: 1, treatmentVariance: 1 };

describe("requiredUsers", () => {
  test.each([
    { name: "d = .2 in equal arms", plan: { ...unit, effect: 0.2, ratio: 1 }, users: [393, 393] },
    { name: "a harmful effect alike", plan: { ...unit, effect: -0.2, ratio: 1 }, users: [393, 393] },
    { name: "power .9", plan: { ...unit, effect: 0.2, ratio: 1, power: 0.9 }, users: [526, 526] },
    { name: "α .005", plan: { ...unit, effect: 0.2, ratio: 1, alpha: 0.005 }, users: [666, 666] },
    { name: "a quarter of the traffic", plan: { ...unit, effect: 0.2, ratio: 1 / 3 }, users: [785, 262] },
    {
      name: "10 % against 12 %",
      plan: { controlVariance: 0.09, treatmentVariance: 0.1056, effect: 0.02, ratio: 1 },
      users: [3839, 3839],
    },
  ])("$name", ({ plan, users: [control, treatment] }) => {
    expect(requiredUsers(plan)).toEqual({ control, treatment });
  });

  test.each([0, 1e-160, Number.NaN])("has no answer for an effect of %d", (effect) => {
    expect(requiredUsers({ ...unit, effect, ratio: 1 })).toBeNull();
  });
});

const positive = (min: number, max: number) => fc.double({ min, max, noNaN: true });

test("the computed users find the effect with the requested power, and hardly more", () => {
  fc.assert(
    fc.property(
      fc.record({
        controlVariance: positive(0.01, 10),
        treatmentVariance: positive(0.01, 10),
        effect: positive(1e-4, 1e-2),
        ratio: positive(0.1, 10),
        power: positive(0.5, 0.95),
      }),
      (plan) => {
        const users = requiredUsers(plan)!;
        const variance = plan.controlVariance / users.control + plan.treatmentVariance / users.treatment;
        const power = powerOf({ effect: plan.effect, standardError: Math.sqrt(variance) });
        expect(power).toBeGreaterThanOrEqual(plan.power - 1e-12);
        expect(power).toBeLessThan(plan.power + 0.02);
        const found = detectableEffect({ ...plan, users });
        expect(found).toBeLessThanOrEqual(plan.effect * (1 + 1e-12));
        expect(found).toBeGreaterThan(plan.effect * 0.98);
      },
    ),
  );
});

describe("nonInferiorityUsers", () => {
  const plan = { ...unit, margin: 0.2, difference: 0, ratio: 1, guardrails: 1 };

  test.each([
    { name: "one guardrail, no difference: as for an effect of the margin", change: {}, users: [393, 393] },
    { name: "a true gain helps", change: { margin: 0.15, difference: 0.05 }, users: [393, 393] },
    // ((1.959964 + 1.644854) / .2)² × 2: four guardrails at a joint power of .8 need .95 each.
    { name: "four guardrails", change: { guardrails: 4 }, users: [650, 650] },
    { name: "two guardrails at .8: .9 each", change: { guardrails: 2, power: 0.8 }, users: [526, 526] },
    { name: "a quarter of the traffic", change: { ratio: 1 / 3 }, users: [785, 262] },
  ])("$name", ({ change, users: [control, treatment] }) => {
    expect(nonInferiorityUsers({ ...plan, ...change })).toEqual({ control, treatment });
  });

  test.each([-0.2, -0.3])("has no answer when the difference to expect is %d", (difference) => {
    expect(nonInferiorityUsers({ ...plan, difference })).toBeNull();
  });
});
