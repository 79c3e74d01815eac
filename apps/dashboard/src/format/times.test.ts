import { expect, test } from "vitest";
import { ago, day, isManual, runName, utc } from "./times.ts";

const now = Date.parse("2026-11-22T12:00:00.000Z");

test.each([
  ["2026-11-22T11:59:30.000Z", "just now"],
  ["2026-11-22T11:15:00.000Z", "45 min ago"],
  ["2026-11-22T09:30:00.000Z", "2 h ago"],
  ["2026-11-21T09:30:00.000Z", "26 h ago"],
  ["2026-11-10T12:00:00.000Z", "12 days ago"],
  ["2026-11-22T14:00:00.000Z", "in 2 h"],
])("ago %s", (instant, written) => expect(ago(instant, now)).toBe(written));

test("days and instants are those of UTC", () => {
  expect(day("2026-11-22")).toBe("22 Nov 2026");
  expect(utc("2026-11-22T23:59:00.000Z")).toBe("22 Nov 2026, 23:59 UTC");
});

test("a manual run is told from a night", () => {
  expect(isManual("manual-2026-11-22T12:00:00.000Z")).toBe(true);
  expect(isManual("2026-11-22")).toBe(false);
  expect(runName("2026-11-22")).toBe("Night of 22 Nov 2026");
  expect(runName("manual-2026-11-22T12:00:00.000Z")).toBe("Manual run, 22 Nov 2026, 12:00 UTC");
});
