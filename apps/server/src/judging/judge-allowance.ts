import { endOfMonth, monthOf, PLAN_LIMITS, toInstant } from "@assay/domain";
import type { Deps } from "../deps.ts";

/** What an org's plan allows judges in the UTC month. */
export interface JudgeAllowance {
  /** Evaluations of the month. */
  readonly used: number;
  /** Null: no bound, as where plans are not enforced. */
  readonly allowance: number | null;
  /** When the month ends, epoch milliseconds. */
  readonly resetsAt: number;
}

/** Loads what an org's judges have used of the month, and what they may. */
export async function loadJudgeAllowance(
  orgId: string,
  {
    control,
    plans,
    clock,
  }: Pick<Deps, "plans" | "clock"> & { readonly control: Pick<Deps["control"], "usage"> },
): Promise<JudgeAllowance> {
  const month = monthOf(clock.now());
  const [{ judgeEvaluations }, plan] = await Promise.all([
    control.usage.get(orgId, month),
    plans.inForce(orgId),
  ]);
  const allowance = plans.isEnforced ? PLAN_LIMITS[plan].monthlyJudgeEvaluations : null;
  return { used: judgeEvaluations, allowance, resetsAt: endOfMonth(month) };
}

/** Says why the plan allows no judge at all; null: it does. */
export function judgeLock({ allowance }: Pick<JudgeAllowance, "allowance">): string | null {
  return allowance === 0
    ? "The plan has no judge evaluations: on a larger one, answers are judged from the next round on."
    : null;
}

/** Says that the month's evaluations are used up; null: they are not. */
export function judgeAllowanceUsed({ used, allowance, resetsAt }: JudgeAllowance): string | null {
  if (allowance === null || used < allowance) return null;
  return `The ${allowance.toLocaleString("en-US")} judge evaluations that the plan allows in a month are used up; the counter resets at ${toInstant(resetsAt)}.`;
}
