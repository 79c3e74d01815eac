import { endOfMonth, monthOf } from "../metering/usage-month.ts";
import { DAY_MS, dayOf, startOfDay } from "../time/day.ts";
import { REPEAT_SHARE } from "./sample-plan.ts";

export interface JudgingAllowance {
  /** Evaluations per month that the plan allows; null: unlimited. */
  readonly allowance: number | null;
  /** Evaluations of the month so far. */
  readonly used: number;
  /** Judgements that are drawn but not made yet. */
  readonly pending: number;
  /** Judged metrics of all live experiments of the org, which get equal shares. */
  readonly judgedMetrics: number;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * Computes how many calls may be drawn today for one judged metric: the rest of the month's allowance, spread over the month's
 * remaining days (UTC), with room for the second judgements. Null: unlimited.
 */
export function dailyBudget({
  allowance,
  used,
  pending,
  judgedMetrics,
  now,
}: JudgingAllowance): number | null {
  if (allowance === null) return null;
  const left = Math.max(0, allowance - used - pending);
  const daysLeft = (endOfMonth(monthOf(now)) - startOfDay(dayOf(now))) / DAY_MS;
  const evaluations = Math.floor(left / daysLeft / Math.max(1, judgedMetrics));
  // Repeats are rounded up, so the evaluations are a whole number before division.
  return Math.floor(evaluations / (1 + REPEAT_SHARE) + 1e-9);
}
