import { expect, test } from "vitest";
import { ago, day, isManual, isWholeNight, runName, runTitle, utc } from "./times.ts";

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

test("a run that was run again shows its revision", () => {
  expect(runTitle({ computed_for: "2026-11-22", revision: 1 })).toBe("Night of 22 Nov 2026");
  expect(runTitle({ computed_for: "2026-11-22", revision: 2 })).toBe("Night of 22 Nov 2026, revision 2");
});

test.each([
  { label: "2026-11-22", to: "2026-11-23T00:00:00.000Z", isWhole: true },
  { label: "2026-11-22", to: "2026-11-22T12:00:00.000Z", isWhole: false },
  { label: "manual-2026-11-22T00:00:00.000Z", to: "2026-11-23T00:00:00.000Z", isWhole: false },
])("$label up to $to is a whole night: $isWhole", ({ label, to, isWhole }) => {
  expect(isWholeNight({ computed_for: label, window: { from: null, to } })).toBe(isWhole);
});
