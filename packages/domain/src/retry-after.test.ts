import { expect, test } from "vitest";
import { readRetryAfter } from "./retry-after.ts";

const NOW = Date.UTC(2026, 0, 31, 12);

test.each([
  { header: "7", ms: 7_000 },
  { header: " 7 ", ms: 7_000 },
  { header: "0", ms: 0 },
  { header: "0.2", ms: 200 },
  { header: "0.0001", ms: 1 },
  { header: "999999999", ms: 999_999_999_000 },
  { header: "1000000000", ms: null },
  { header: "-1", ms: null },
  { header: "1e3", ms: null },
  { header: "Sat, 31 Jan 2026 12:00:05 GMT", ms: 5_000 },
  { header: "Sat, 31 Jan 2026 11:00:00 GMT", ms: 0 },
  { header: "2026-01-31", ms: null },
  { header: "soon GMT", ms: null },
  { header: "soon", ms: null },
  { header: "", ms: null },
  { header: null, ms: null },
])("$header is $ms ms", ({ header, ms }) => {
  expect(readRetryAfter(header, NOW)).toBe(ms);
});

test("a date cannot be read without knowing the time", () => {
  expect(readRetryAfter("Sat, 31 Jan 2026 12:00:05 GMT", Number.NaN)).toBeNull();
  expect(readRetryAfter("7", Number.NaN)).toBe(7_000);
});
