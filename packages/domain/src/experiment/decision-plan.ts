import type { FieldFault } from "../problem.ts";

/** How nights are evaluated: at boundaries that spend the error over the looks, once at the end, or by always-valid evidence. */
export const LOOKS = ["group_sequential", "fixed", "always_valid"] as const;
export type Looks = (typeof LOOKS)[number];

/** Where a plan's horizon comes from: a person, the traffic and the targets, or the default if neither is known. */
export const PLAN_BASES = ["request", "traffic", "default"] as const;
export type PlanBasis = (typeof PLAN_BASES)[number];

/** The horizon of an experiment whose traffic is not known, in weeks. */
export const DEFAULT_HORIZON_WEEKS = 2;
/** The longest horizon, in weeks. */
export const MAX_HORIZON_WEEKS = 52;

/** When and how an experiment is decided. Frozen once a user is exposed. */
export interface DecisionPlan {
  /** Whole weeks from the start to the last look; null: set at the start. */
  readonly horizonWeeks: number | null;
  /** Null if `horizonWeeks` is null. */
  readonly basis: PlanBasis | null;
  /** Users of all arms expected by the horizon, to which confidence sequences are tuned; null: not known. */
  readonly expectedUsers: number | null;
  /** No look decides earlier than after this many weeks, because behavior varies by day of the week. */
  readonly minWeeks: number;
  readonly looks: Looks;
  /** Two-sided level of the decision. */
  readonly alpha: number;
  /** Chance of finding the target effects. */
  readonly power: number;
  /** Whether results report that the target has become unlikely. This never ends an experiment. */
  readonly futility: boolean;
  /** Why the plan was changed after the first exposure; null: it was not. */
  readonly reason: string | null;
}

export const DEFAULT_PLAN: DecisionPlan = {
  horizonWeeks: null,
  basis: null,
  expectedUsers: null,
  minWeeks: 1,
  looks: "group_sequential",
  alpha: 0.05,
  power: 0.8,
  futility: true,
  reason: null,
};

/** Any part of a plan; an absent field keeps its value. Callers of the API set no basis and no expected users. */
export type PlanInput = Partial<DecisionPlan>;

/** The horizon planned for an experiment that starts without one. */
export interface Horizon {
  readonly horizonWeeks: number;
  readonly basis: PlanBasis;
  readonly expectedUsers: number | null;
}

/** Applies a change to a plan. A reason applies only to the change that it was sent with. */
export function mergePlan(current: DecisionPlan, change: PlanInput): DecisionPlan {
  const horizonWeeks = change.horizonWeeks === undefined ? current.horizonWeeks : change.horizonWeeks;
  const merged = {
    horizonWeeks,
    ...(change.basis === undefined ? horizonFacts(current, horizonWeeks) : planned(change)),
    minWeeks: change.minWeeks ?? current.minWeeks,
    looks: change.looks ?? current.looks,
    alpha: change.alpha ?? current.alpha,
    power: change.power ?? current.power,
    futility: change.futility ?? current.futility,
  };
  return { ...merged, reason: isSamePlan(current, merged) ? current.reason : (change.reason ?? null) };
}

const planned = ({ basis = null, expectedUsers = null }: PlanInput) => ({ basis, expectedUsers });

function horizonFacts(
  current: DecisionPlan,
  horizonWeeks: number | null,
): Pick<DecisionPlan, "basis" | "expectedUsers"> {
  if (horizonWeeks === current.horizonWeeks) return planned(current);
  if (horizonWeeks === null) return { basis: null, expectedUsers: null };
  const perWeek = current.expectedUsers === null ? null : current.expectedUsers / current.horizonWeeks!;
  return { basis: "request", expectedUsers: perWeek && Math.round(perWeek * horizonWeeks) };
}

/** Returns whether two plans decide alike. */
export function isSamePlan(
  a: Omit<DecisionPlan, "reason" | "basis" | "expectedUsers">,
  b: Omit<DecisionPlan, "reason" | "basis" | "expectedUsers">,
): boolean {
  return (
    a.horizonWeeks === b.horizonWeeks &&
    a.minWeeks === b.minWeeks &&
    a.looks === b.looks &&
    a.alpha === b.alpha &&
    a.power === b.power &&
    a.futility === b.futility
  );
}

/** Lists the faults of a plan that a schema cannot express. */
export function checkPlan({ horizonWeeks, minWeeks }: DecisionPlan): readonly FieldFault[] {
  if (horizonWeeks === null || minWeeks <= horizonWeeks) return [];
  const detail = `The minimum run of ${minWeeks} weeks is longer than the horizon of ${horizonWeeks}: shorten it or lengthen the horizon.`;
  return [{ pointer: "/plan/min_weeks", detail }];
}

/** Lists the fault of a change without a reason after users were exposed, because results seen so far may have influenced it. */
export function checkPlanChange(current: DecisionPlan, change: PlanInput): readonly FieldFault[] {
  if (isSamePlan(current, mergePlan(current, change)) || (change.reason ?? "") !== "") return [];
  const detail =
    "Users are exposed, so the plan is frozen: send plan.reason with the change. The audit keeps it, and the results show that the plan was changed.";
  return [{ pointer: "/plan/reason", detail }];
}
