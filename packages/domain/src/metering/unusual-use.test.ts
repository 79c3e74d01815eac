import { murmur3 } from "@assay/bucketing";
import { normalQuantile } from "@assay/stats";
import { describe, expect, test } from "vitest";
import { documented } from "../../../../tests/documented.ts";
import { addDays, type Day } from "../time/day.ts";
import { firstDayOfUse, unusualDays } from "./unusual-use.ts";

const TODAY = "2026-03-31" as Day;
const ago = (days: number) => addDays(TODAY, -days);

/** 40 days of 1,000 events each, except the days in `others`, keyed by days ago. */
const use = (others: Readonly<Record<number, number>> = {}, length = 40) =>
  new Map(Array.from({ length }, (_, days) => [ago(days), others[days] ?? 1_000]));

describe("unusual use", () => {
  test.each([
    { name: "days like the others", counts: use(), found: [] },
    { name: "four times as many", counts: use({ 0: 4_000 }), found: [] },
    { name: "one more than that", counts: use({ 0: 4_001 }), found: [[0, 4_001, 4_000]] },
    { name: "a day of the last week", counts: use({ 6: 9_000 }), found: [[6, 9_000, 4_000]] },
    { name: "a day before the last week", counts: use({ 7: 9_000 }), found: [] },
    {
      name: "two days in a row, the newest first, and a third that is usual by then",
      counts: use({ 2: 90_000, 1: 90_000, 0: 90_000 }),
      found: [
        [1, 90_000, 4_000],
        [2, 90_000, 4_000],
      ],
    },
    { name: "a weekly peak", counts: use({ 0: 9_000, 7: 9_000, 14: 9_000, 21: 9_000 }), found: [] },
    { name: "a busy start", counts: use({ 28: 9_000, 27: 9_000, 0: 36_001 }), found: [[0, 36_001, 36_000]] },
    {
      name: "peaks of longer ago",
      counts: use({ 29: 9_000, 30: 9_000, 0: 4_001 }),
      found: [[0, 4_001, 4_000]],
    },
    { name: "a key in use for four weeks", counts: use({ 0: 9_000 }, 29), found: [[0, 9_000, 4_000]] },
    { name: "a newer key", counts: new Map([...use({ 0: 9_000 }, 22)]), found: [] },
    {
      name: "few events",
      counts: new Map([
        [ago(27), 5],
        [ago(0), 1_000],
      ]),
      found: [],
    },
    {
      name: "many events where few are usual",
      counts: new Map([
        [ago(27), 5],
        [ago(0), 1_001],
      ]),
      found: [[0, 1_001, 1_000]],
    },
    { name: "nothing at all", counts: new Map(), found: [] },
  ])("is found in $name: $found", ({ counts, found }) => {
    expect(unusualDays(counts, TODAY)).toEqual(
      found.map(([days = 0, events, limit]) => ({ day: ago(days), events, limit })),
    );
  });

  test("starts reading at the first day whose count matters", () => {
    const all = use({ 34: 9_000, 33: 9_000, 6: 36_000 });
    const read = new Map([...all].filter(([day]) => day >= firstDayOfUse(TODAY)));
    expect(unusualDays(read, TODAY)).toEqual(unusualDays(all, TODAY));
    expect(unusualDays(read, TODAY)).toEqual([]);
    read.delete(firstDayOfUse(TODAY));
    expect(unusualDays(read, TODAY)).toHaveLength(1);
  });
});

/** Standard deviation of a day's logarithm around the mean of its weekday. */
const SPREAD = 0.5;
const DAYS = 20_160;

test.each([
  { rhythm: "no", week: [1, 1, 1, 1, 1, 1, 1], events: 20_000 },
  { rhythm: "a working week's", week: [1, 1, 1, 1, 1, 0.2, 0.1], events: 20_000 },
  { rhythm: "a weekend's", week: [0.1, 0.1, 0.1, 0.1, 0.1, 1, 1], events: 20_000 },
  { rhythm: "one weekday's", week: [0.1, 0.1, 0.1, 1, 0.1, 0.1, 0.1], events: 20_000 },
  { rhythm: "no", week: [1, 1, 1, 1, 1, 1, 1], events: 300 },
])(
  "chance alone gives an alarm on 1 day in 1,000 at most: $events events a day with $rhythm rhythm",
  (row) => {
    const normal = (name: string) => normalQuantile((murmur3(name, row.events) + 0.5) / 2 ** 32);
    const first = "2026-01-01" as Day;
    const days = Array.from({ length: DAYS }, (_, i) => addDays(first, i));
    const counts = new Map(
      days.map((day, i) => {
        const mean = row.events * (row.week[i % 7] ?? 1) * Math.exp(SPREAD * normal(`spread of ${day}`));
        return [day, Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(`noise of ${day}`)))];
      }),
    );
    const judged = days.filter((_, i) => i > 28 && i % 7 === 6);
    const alarms = judged.reduce((sum, day) => sum + unusualDays(counts, day).length, 0);
    const allowed = documented("keys.md", /at most 1 day in ([\d,]+) by chance/);
    expect(alarms / (judged.length * 7)).toBeLessThan(1 / allowed);
  },
);
