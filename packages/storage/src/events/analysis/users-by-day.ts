import { DAY_MS, type Day, dayOf } from "@assay/domain";

/** Converts users by days since the epoch to users by named day, in the order of time. */
export function toUsersByDay(users: ReadonlyMap<number, number>): Map<Day, number> {
  return new Map([...users].sort(([a], [b]) => a - b).map(([day, count]) => [dayOf(day * DAY_MS), count]));
}
