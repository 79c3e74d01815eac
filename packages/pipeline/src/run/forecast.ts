import { type ArmExposure, type Day, type DaysToGo, dayOf } from "@assay/domain";
import { daysToGo, type TestOutcome } from "@assay/stats";
import { recentUsersPerDay } from "../recent-users.ts";
import type { NightRow } from "../run-frame.ts";

export interface ForecastInput {
  readonly outcome: TestOutcome;
  /** Users of both arms that the test used. */
  readonly users: number;
  /** Relative to control. */
  readonly targetEffect: number;
  /** New users of the two arms. */
  readonly exposures: readonly Pick<ArmExposure, "usersByDay">[];
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
    newUsersPerDay: recentUsersPerDay(usersByDay(input.exposures), dayOf(input.until)),
    targetEffect,
  });
  return {
    targetEffect,
    days: days?.days ?? null,
    daysLow: days?.daysLow ?? null,
    daysHigh: days?.daysHigh ?? null,
  };
}

function usersByDay(exposures: ForecastInput["exposures"]): ReadonlyMap<Day, number> {
  const perDay = new Map<Day, number>();
  for (const [day, users] of exposures.flatMap((arm) => [...arm.usersByDay]))
    perDay.set(day, (perDay.get(day) ?? 0) + users);
  return perDay;
}
