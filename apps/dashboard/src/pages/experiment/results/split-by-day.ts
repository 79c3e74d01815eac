import type { Results, Wire } from "../../../api/types.ts";
import { sum } from "../../../format/numbers.ts";

type TrafficDay = Wire<"TrafficSeries">["days"][number];

/** How many standard errors make a day's split off. By chance, that happens on about one day in a thousand. */
const LEANING = 3.3;

export interface SplitDay {
  readonly day: string;
  readonly total: number;
  /** Each arm's share of the day's users; 0 without users. */
  readonly shares: Readonly<Record<string, number>>;
  /** Whether the split of this day alone is off. */
  readonly isLeaning: boolean;
}

/** Checks the split of each day on its own, newest first. */
export function splitByDay(
  days: readonly TrafficDay[],
  expected: Results["srm"]["expected"],
): readonly SplitDay[] {
  return days
    .map(({ day, users }) => {
      const total = sum(Object.values(users));
      const share = (arm: string) => (total === 0 ? 0 : (users[arm] ?? 0) / total);
      const arms = Object.keys(expected);
      return {
        day,
        total,
        shares: Object.fromEntries(arms.map((arm) => [arm, share(arm)])),
        isLeaning: arms.some((arm) => isFar(share(arm), expected[arm] ?? 0, total)),
      };
    })
    .toSorted((a, b) => b.day.localeCompare(a.day));
}

function isFar(share: number, expected: number, total: number): boolean {
  if (total === 0) return false;
  if (expected === 0) return share > 0;
  return Math.abs(share - expected) > LEANING * Math.sqrt((expected * (1 - expected)) / total);
}
