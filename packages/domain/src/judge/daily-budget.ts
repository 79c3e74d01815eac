import { endOfMonth, monthOf } from "../metering/usage-month.ts";
import { DAY_MS, dayOf, startOfDay } from "../time/day.ts";
import { REPEAT_SHARE } from "./sample-plan.ts";

export interface JudgingAllowance {
  /** Evaluations of the month that the plan allows; null: no bound. */
  readonly allowance: number | null;
  /** Evaluations of the month so far. */
  readonly used: number;
  /** Judgements that are drawn and not made yet. */
  readonly pending: number;
  /** Judged metrics of all live experiments of the org: they share alike. */
  readonly judgedMetrics: number;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * Computes how many calls may be drawn today for one judged metric: what is left of the month's allowance, spread over its
 * days (UTC) from today on, with room for the second judgements. Null: no bound.
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
  // Repeats are rounded up, so the evaluations are a whole number before they are shared.
  return Math.floor(evaluations / (1 + REPEAT_SHARE) + 1e-9);
}
