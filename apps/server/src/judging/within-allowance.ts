import type { Deps } from "../deps.ts";
import type { Question, Settled } from "./claim-work.ts";
import { judgeAllowanceUsed, loadJudgeAllowance } from "./judge-allowance.ts";

/** A larger plan is in force at once, so that it is worth a look. */
const LOOK_AGAIN_MS = 3_600_000;

/**
 * Parts questions into those that the plan still pays for and those that wait: a month that is used up by retries, or a plan that
 * became smaller, must not be overdrawn by what was drawn before. `underWay`: an org's questions that count already.
 */
export async function withinAllowance(
  questions: readonly Question[],
  underWay: (orgId: string) => number,
  deps: Pick<Deps, "plans" | "clock"> & { readonly control: Pick<Deps["control"], "usage"> },
): Promise<{ readonly paid: readonly Question[]; readonly waiting: readonly Settled[] }> {
  if (!deps.plans.isEnforced) return { paid: questions, waiting: [] };
  const paid: Question[] = [];
  const waiting: Settled[] = [];
  for (const [orgId, ofOrg] of Map.groupBy(questions, ({ task }) => task.orgId)) {
    const allowed = await loadJudgeAllowance(orgId, deps);
    const left = (allowed.allowance ?? Number.POSITIVE_INFINITY) - allowed.used - underWay(orgId);
    paid.push(...ofOrg.slice(0, Math.max(0, left)));
    const detail =
      judgeAllowanceUsed(allowed) ?? "The last evaluations that the plan allows this month are under way.";
    const notBefore = deps.clock.now() + LOOK_AGAIN_MS;
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
