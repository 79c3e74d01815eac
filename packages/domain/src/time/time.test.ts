import { expect, test } from "vitest";
import { addDays, dayOf, endOfDay, parseDay, startOfDay, toInstant } from "./day.ts";
import { formatRunLabel, parseRunLabel } from "./run-label.ts";

test.each([
  { name: "the first millisecond of a day", at: Date.UTC(2026, 0, 31), day: "2026-01-31" },
  { name: "the last millisecond of a day", at: Date.UTC(2026, 0, 31) + 86_399_999, day: "2026-01-31" },
  { name: "a leap day", at: Date.UTC(2028, 1, 29, 12), day: "2028-02-29" },
])("dayOf finds $name", ({ at, day }) => {
  expect(dayOf(at)).toBe(day);
  expect(startOfDay(dayOf(at))).toBeLessThanOrEqual(at);
  expect(endOfDay(dayOf(at))).toBeGreaterThan(at);
});

test("addDays crosses months and years in both directions", () => {
  expect(addDays(dayOf(Date.UTC(2026, 11, 31)), 1)).toBe("2027-01-01");
  expect(addDays(dayOf(Date.UTC(2026, 2, 1)), -1)).toBe("2026-02-28");
});

test.each(["2026-02-30", "2026-13-01", "26-01-01", "2026-1-1", "yesterday", ""])(
  "parseDay refuses %j",
  (text) => {
    expect(parseDay(text)).toBeNull();
  },
);

test("a run label survives writing and reading", () => {
  const manual = { kind: "manual", at: Date.UTC(2026, 10, 21, 9, 30, 0, 7) } as const;
  expect(formatRunLabel(manual)).toBe("manual-2026-11-21T09:30:00.007Z");
  expect(parseRunLabel(formatRunLabel(manual))).toEqual(manual);
  const nightly = { kind: "nightly", day: dayOf(Date.UTC(2026, 10, 21)) } as const;
  expect(formatRunLabel(nightly)).toBe("2026-11-21");
  expect(parseRunLabel("2026-11-21")).toEqual(nightly);
});

test.each(["manual-", "manual-2026-11-21", "manual-never", "2026-11-99", "latest"])(
  "parseRunLabel refuses %j",
  (text) => {
    expect(parseRunLabel(text)).toBeNull();
  },
);

test("instants have milliseconds and are in UTC", () => {
  expect(toInstant(0)).toBe("1970-01-01T00:00:00.000Z");
});
