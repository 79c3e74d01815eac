import type { BodyFault } from "../../api/problem.ts";
import type { Wire } from "../../api/types.ts";

type Plan = Wire<"DecisionPlan">;
export type Looks = NonNullable<Plan["looks"]>;

/** The decision plan as the form holds it. */
export interface PlanValues {
  /** Null: planned at the start. */
  horizonWeeks: number | null;
  minWeeks: number | null;
  looks: Looks;
  alpha: number | null;
  power: number | null;
  futility: boolean;
  /** Why it is changed once users are exposed. */
  reason: string;
}

const DEFAULTS = { minWeeks: 1, looks: "group_sequential", alpha: 0.05, power: 0.8, futility: true } as const;
const MOST_WEEKS = 52;
const LONGEST_REASON = 1_000;

/** Returns the form values of a plan, or the defaults. The reason belongs to the change that is being made. */
export function planValues(plan: Plan = {}): PlanValues {
  return {
    horizonWeeks: plan.horizon_weeks ?? null,
    minWeeks: plan.min_weeks ?? DEFAULTS.minWeeks,
    looks: plan.looks ?? DEFAULTS.looks,
    alpha: plan.alpha ?? DEFAULTS.alpha,
    power: plan.power ?? DEFAULTS.power,
    futility: plan.futility ?? DEFAULTS.futility,
    reason: "",
  };
}

/** Converts valid values to the plan of a body. */
export function toPlan({ horizonWeeks, minWeeks, looks, alpha, power, futility, reason }: PlanValues): Plan {
  return {
    horizon_weeks: horizonWeeks,
    min_weeks: minWeeks ?? DEFAULTS.minWeeks,
    looks,
    alpha: alpha ?? DEFAULTS.alpha,
    power: power ?? DEFAULTS.power,
    futility,
    ...(reason.trim() === "" ? {} : { reason: reason.trim() }),
  };
}

/** Returns whether two bodies' plans decide alike. A different reason alone changes nothing. */
export function decidesAlike(one: Plan | undefined, other: Plan | undefined): boolean {
  const { reason: _one, ...a } = one ?? {};
  const { reason: _other, ...b } = other ?? {};
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Lists what the service would refuse of a plan. */
export function checkPlan({
  horizonWeeks,
  minWeeks,
  alpha,
  power,
  reason,
}: PlanValues): readonly BodyFault[] {
  const checks: readonly (readonly [isWrong: boolean, field: string, detail: string])[] = [
    [
      horizonWeeks !== null && !isWeeks(horizonWeeks),
      "horizon_weeks",
      `Enter whole weeks from 1 to ${MOST_WEEKS}, or leave it empty.`,
    ],
    [!isWeeks(minWeeks), "min_weeks", `Enter whole weeks from 1 to ${MOST_WEEKS}.`],
    [
      horizonWeeks !== null && (minWeeks ?? 0) > horizonWeeks,
      "min_weeks",
      "Enter at most the weeks of the horizon.",
    ],
    [!isBetween(alpha, 0.001, 0.2), "alpha", "Enter a value from 0.001 to 0.2."],
    [!isBetween(power, 0.5, 0.99), "power", "Enter a value from 50% to 99%."],
    [reason.trim().length > LONGEST_REASON, "reason", "Use at most 1,000 characters."],
  ];
  return checks.flatMap(([isWrong, field, detail]) =>
    isWrong ? [{ pointer: `/plan/${field}`, detail }] : [],
  );
}

function isWeeks(value: number | null): boolean {
  return isBetween(value, 1, MOST_WEEKS) && Number.isInteger(value);
}

function isBetween(value: number | null, low: number, high: number): boolean {
  return value !== null && value >= low && value <= high;
}
