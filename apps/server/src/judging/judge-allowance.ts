import { endOfMonth, monthOf, PLAN_LIMITS, toInstant } from "@assay/domain";
import type { Deps } from "../deps.ts";
import type { Question, Settled } from "./load-questions.ts";

/** How often waiting questions are checked again, because a larger plan takes effect at once. */
const RECHECK_MS = 3_600_000;

/** Judge evaluations that an org's plan allows in a UTC month. */
export interface JudgeAllowance {
  /** Evaluations used this month. */
  readonly used: number;
  /** Null: unlimited, as when plans are not enforced. */
  readonly allowance: number | null;
  /** When the month ends, epoch milliseconds. */
  readonly resetsAt: number;
}

/** Loads how many judge evaluations an org has used this month, and how many it may use. */
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

/** Explains that the plan includes no judge evaluations; null when it does. */
export function judgeLock({ allowance }: Pick<JudgeAllowance, "allowance">): string | null {
  return allowance === 0
    ? "The plan includes no judge evaluations. On a larger plan, answers are judged from the next round on."
    : null;
}

/** Explains that this month's evaluations are used up; null when they are not. */
export function judgeAllowanceUsed({ used, allowance, resetsAt }: JudgeAllowance): string | null {
  if (allowance === null || used < allowance) return null;
  return `The ${allowance.toLocaleString("en-US")} judge evaluations per month that the plan allows are used up. The counter resets at ${toInstant(resetsAt)}.`;
}

/**
 * Splits questions into those that the plan still allows and those that must wait. Calls drawn earlier must not exceed the allowance
 * if retries used it up or the plan became smaller. `inFlight` counts an org's questions that are already claimed.
 */
export async function splitByAllowance(
  questions: readonly Question[],
  inFlight: (orgId: string) => number,
  deps: Pick<Deps, "plans" | "clock"> & { readonly control: Pick<Deps["control"], "usage"> },
): Promise<{ readonly paid: readonly Question[]; readonly waiting: readonly Settled[] }> {
  if (!deps.plans.isEnforced) return { paid: questions, waiting: [] };
  const paid: Question[] = [];
  const waiting: Settled[] = [];
  for (const [orgId, ofOrg] of Map.groupBy(questions, ({ task }) => task.orgId)) {
    const allowed = await loadJudgeAllowance(orgId, deps);
    const left = (allowed.allowance ?? Number.POSITIVE_INFINITY) - allowed.used - inFlight(orgId);
    paid.push(...ofOrg.slice(0, Math.max(0, left)));
    const detail =
      judgeAllowanceUsed(allowed) ?? "The last evaluations that the plan allows this month are in progress.";
    const notBefore = deps.clock.now() + RECHECK_MS;
    const outcome = {
      kind: "postponed",
      cause: "rate-limited",
      detail,
      notBefore,
      isAttempt: false,
    } as const;
    for (const { task } of ofOrg.slice(Math.max(0, left))) waiting.push({ task, outcome });
  }
  return { paid, waiting };
}
