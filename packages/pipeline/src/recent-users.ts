import { type ArmExposure, addDays, type Day } from "@assay/domain";

/** Number of last full days from which traffic is estimated (statistics §7). */
const RECENT_DAYS = 7;

/**
 * Lists the new users of each of the last seven full days before `today`, oldest first, without days before the first
 * user.
 */
export function recentUsersPerDay(usersByDay: ReadonlyMap<Day, number>, today: Day): readonly number[] {
  const first = [...usersByDay.keys()].sort()[0];
  return Array.from({ length: RECENT_DAYS }, (_, index) => addDays(today, index - RECENT_DAYS))
    .filter((day) => first !== undefined && day >= first)
    .map((day) => usersByDay.get(day) ?? 0);
}

/** Adds up the arms' new users of each day. */
export function usersByDay(exposures: readonly Pick<ArmExposure, "usersByDay">[]): ReadonlyMap<Day, number> {
  const perDay = new Map<Day, number>();
  for (const [day, users] of exposures.flatMap((arm) => [...arm.usersByDay]))
    perDay.set(day, (perDay.get(day) ?? 0) + users);
  return perDay;
}
