import { type ArmExposure, type DaysToGo, dayOf } from "@assay/domain";
import { daysToGo, type TestOutcome } from "@assay/stats";
import { RANK_TARGET } from "../compare/choose-test.ts";
import { recentUsersPerDay, usersByDay } from "../recent-users.ts";
import type { NightRow } from "../run-frame.ts";

export interface ForecastInput {
  readonly outcome: TestOutcome;
  /** Users of both arms in the test. */
  readonly users: number;
  /** Relative to control. */
  readonly targetEffect: number;
  /** New users of the two arms. */
  readonly exposures: readonly Pick<ArmExposure, "usersByDay">[];
  readonly until: number;
  readonly earlier: readonly NightRow[];
}

/** Forecasts the days until the row finds its target effect; null when control's value is 0 or there is no spread. */
export function forecast(input: ForecastInput): DaysToGo | null {
  const { outcome, earlier, users } = input;
  const isRank = outcome.test === "mann_whitney_u";
  const targetEffect = isRank ? RANK_TARGET : input.targetEffect * Math.abs(outcome.controlValue);
  if (outcome.standardError === null || targetEffect === 0) return null;
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
