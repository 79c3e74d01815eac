import { expect, test } from "vitest";
import { CATCH_UP_DAYS, dueDays, nextRunAt, nightlyTask, RETRY_MS } from "./nightly-schedule.ts";

const at = (text: string) => Date.parse(`${text}Z`);

test.each([
  { name: "a minute before the time", now: at("2026-11-21T00:14:59"), last: "2026-11-19" },
  { name: "at the time", now: at("2026-11-21T00:15:00"), last: "2026-11-20" },
  { name: "late in the day", now: at("2026-11-21T23:59:59"), last: "2026-11-20" },
])("$name the newest due day is $last", ({ now, last }) => {
  const days = dueDays(now, 15);
  expect(days.at(-1)).toBe(last);
  expect(days).toHaveLength(CATCH_UP_DAYS);
  expect([...days].sort()).toEqual(days);
});

test.each([
  { name: "before the time", now: "2026-11-21T00:14:59.999", minutes: 15, next: "2026-11-21T00:15:00.000" },
  { name: "at the time", now: "2026-11-21T00:15:00.000", minutes: 15, next: "2026-11-22T00:15:00.000" },
  { name: "after the time", now: "2026-11-30T23:59:59.999", minutes: 15, next: "2026-12-01T00:15:00.000" },
  { name: "at midnight", now: "2026-12-31T00:00:00.000", minutes: 0, next: "2027-01-01T00:00:00.000" },
  { name: "late", now: "2028-02-28T23:58:59.000", minutes: 1_439, next: "2028-02-28T23:59:00.000" },
])("$name the next run is at $next", ({ now, minutes, next }) => {
  expect(nextRunAt(at(now), minutes)).toBe(at(next));
});

test("runs missed days oldest first, each once, and the next when it is due", async () => {
  let now = at("2026-11-21T12:00:00");
  const ran: string[] = [];
  const task = nightlyTask({ clock: { now: () => now }, nightlyAtMinutes: 15 }, async (day) => {
    ran.push(day);
    return "done";
  });
  await task();
  await task();
  expect(ran).toHaveLength(CATCH_UP_DAYS);
  now = at("2026-11-22T00:15:00");
  await task();
  expect(ran.slice(CATCH_UP_DAYS)).toEqual(["2026-11-21"]);
});

test("a day that failed runs again", async () => {
  let failures = 1;
  const ran: string[] = [];
  const task = nightlyTask(
    { clock: { now: () => at("2026-11-21T12:00:00") }, nightlyAtMinutes: 15 },
    async (day) => {
      if (failures-- > 0) throw new Error("down");
      ran.push(day);
      return "done";
    },
  );
  await expect(task()).rejects.toThrow("down");
  await task();
  expect(ran[0]).toBe("2026-11-14");
});

test("a day of which something is left is tried again after a while, and not before", async () => {
  let now = at("2026-11-21T12:00:00");
  const ran: string[] = [];
  const task = nightlyTask({ clock: { now: () => now }, nightlyAtMinutes: 15 }, async (day) => {
    ran.push(day);
    return day === "2026-11-18" && ran.length <= CATCH_UP_DAYS ? "try-again" : "done";
  });
  await task();
  now += RETRY_MS - 1;
  await task();
  expect(ran).toHaveLength(CATCH_UP_DAYS);
  now += 1;
  await task();
  now += RETRY_MS;
  await task();
  expect(ran.slice(CATCH_UP_DAYS)).toEqual(["2026-11-18"]);
});

test("a day that another process holds is looked at in each round until it is over", async () => {
  let rounds = 0;
  const task = nightlyTask(
    { clock: { now: () => at("2026-11-21T12:00:00") }, nightlyAtMinutes: 15 },
    async (day) => {
      if (day !== "2026-11-20") return "done";
      rounds += 1;
      return rounds < 3 ? "held" : "done";
    },
  );
  for (let round = 0; round < 5; round++) await task();
  expect(rounds).toBe(3);
});
