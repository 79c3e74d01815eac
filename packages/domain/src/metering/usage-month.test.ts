import { expect, test } from "vitest";
import { endOfMonth, monthOf, openMonths, startOfMonth } from "./usage-month.ts";

test.each([
  { at: "2026-11-01T00:00:00.000Z", month: "2026-11", end: "2026-12-01T00:00:00.000Z" },
  { at: "2026-11-30T23:59:59.999Z", month: "2026-11", end: "2026-12-01T00:00:00.000Z" },
  { at: "2026-12-31T23:59:59.999Z", month: "2026-12", end: "2027-01-01T00:00:00.000Z" },
  { at: "2028-02-29T12:00:00.000Z", month: "2028-02", end: "2028-03-01T00:00:00.000Z" },
])("$at belongs to $month, which ends at $end", ({ at, month, end }) => {
  const found = monthOf(Date.parse(at));
  expect(found).toBe(month);
  expect(new Date(endOfMonth(found)).toISOString()).toBe(end);
  expect(new Date(startOfMonth(found)).toISOString()).toBe(`${month}-01T00:00:00.000Z`);
});

test.each([
  { at: "2026-11-30T23:59:59.999Z", months: ["2026-11"] },
  { at: "2026-12-01T00:00:00.000Z", months: ["2026-11", "2026-12"] },
  { at: "2026-12-07T23:59:59.999Z", months: ["2026-11", "2026-12"] },
  { at: "2026-12-08T00:00:00.000Z", months: ["2026-12"] },
  { at: "2027-01-03T00:00:00.000Z", months: ["2026-12", "2027-01"] },
])("at $at the counts of $months may still change", ({ at, months }) => {
  expect(openMonths(Date.parse(at))).toEqual(months);
});
