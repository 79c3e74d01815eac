import { type ArmExposure, addDays, type Day, type DaysToGo, dayOf, startOfDay } from "@assay/domain";
import { daysToGo, type TestOutcome } from "@assay/stats";
import type { NightRow } from "./run-frame.ts";

/** Traffic is judged by this many last full days (statistics §7). */
const RATE_DAYS = 7;

export interface ForecastInput {
  readonly outcome: TestOutcome;
  /** Users of both arms that the test used. */
  readonly users: number;
  /** Relative to control. */
  readonly targetEffect: number;
  /** Of the two arms. */
  readonly exposures: readonly ArmExposure[];
  readonly until: number;
  readonly earlier: readonly NightRow[];
}

/**
 * Forecasts how long the row still has to wait for its target effect; null where the target has no meaning: a probability
 * of superiority, a control value of 0, no spread.
 */
export function forecast(input: ForecastInput): DaysToGo | null {
  const { outcome, earlier, users } = input;
  const targetEffect = input.targetEffect * Math.abs(outcome.controlValue);
  if (outcome.standardError === null || outcome.test === "mann_whitney_u" || targetEffect === 0) return null;
  const days = daysToGo({
    history: earlier.flatMap(({ users, standardError }) =>
      standardError === null ? [] : [{ users, standardError }],
    ),
    usersNow: users,
    standardErrorNow: outcome.standardError,
    newUsersPerDay: newUsersPerDay(input.exposures, input.until),
    targetEffect,
  });
  return {
    targetEffect,
    days: days?.days ?? null,
    daysLow: days?.daysLow ?? null,
    daysHigh: days?.daysHigh ?? null,
  };
}

/** Users first exposed on each of the last full days before the cut-off, oldest first; none before the experiment's first day. */
function newUsersPerDay(exposures: readonly ArmExposure[], until: number): readonly number[] {
  const perDay = new Map<Day, number>();
  for (const [day, users] of exposures.flatMap(({ usersByDay }) => [...usersByDay]))
    perDay.set(day, (perDay.get(day) ?? 0) + users);
  const first = [...perDay.keys()].sort()[0];
  const today = dayOf(until);
  const days = Array.from({ length: RATE_DAYS }, (_, index) => addDays(today, index - RATE_DAYS));
  return days
    .filter((day) => first !== undefined && startOfDay(day) >= startOfDay(first))
    .map((day) => perDay.get(day) ?? 0);
}
