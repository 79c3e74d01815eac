import { expect, test } from "vitest";
import { splitByDay } from "./split-by-day.ts";

const day = (name: string, control: number, treatment: number) => ({
  day: name,
  exposures: {},
  users: { control, treatment },
});

test("names the days whose own split is far from what was expected, newest first", () => {
  const days = [day("2026-11-01", 500, 505), day("2026-11-02", 400, 600), day("2026-11-03", 0, 0)];
  const judged = splitByDay(days, { control: 0.5, treatment: 0.5 });
  expect(judged.map(({ day: name, isLeaning }) => [name, isLeaning])).toEqual([
    ["2026-11-03", false],
    ["2026-11-02", true],
    ["2026-11-01", false],
  ]);
  expect(judged[1]).toMatchObject({ total: 1000, shares: { control: 0.4, treatment: 0.6 } });
});

test("an arm that nobody should get leans with its first user", () => {
  expect(splitByDay([day("2026-11-01", 99, 1)], { control: 1, treatment: 0 })[0]?.isLeaning).toBe(true);
});

test("few users may be far off by chance", () => {
  expect(splitByDay([day("2026-11-01", 2, 6)], { control: 0.5, treatment: 0.5 })[0]?.isLeaning).toBe(false);
});
