import { DAY_MS, type Day, dayOf } from "@assay/domain";

/** Days since the epoch, ascending, and the number of users on each. */
export type DayCounts = readonly [days: readonly number[], users: readonly number[]];

/** Writes the aggregate that counts users by the UTC day of an instant: `DayCounts`. */
export function usersByDaySql(at: string, condition = "1"): string {
  return `sumMapIf([toInt32(floor(${at} / ${DAY_MS}))], [toUInt64(1)], ${condition})`;
}

/** Converts the counts to a map by named day. */
export function toUsersByDay([days, users]: DayCounts): Map<Day, number> {
  return new Map(days.map((day, i) => [dayOf(day * DAY_MS), users[i] ?? 0]));
}
