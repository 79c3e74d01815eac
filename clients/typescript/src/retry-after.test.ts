import { expect, test } from "vitest";
import { parseRetryAfter } from "./retry-after.ts";

const DATE = "Mon, 06 Jul 2026 10:00:00 GMT";

test.each([
  { name: "reads seconds", header: "120", ms: 120_000 },
  { name: "reads zero", header: "0", ms: 0 },
  { name: "reads a date from the response's own time", header: "Mon, 06 Jul 2026 10:00:30 GMT", ms: 30_000 },
  { name: "treats a past date as no wait", header: "Mon, 06 Jul 2026 09:00:00 GMT", ms: 0 },
  { name: "ignores a negative number", header: "-5x", ms: 0 },
  { name: "ignores words", header: "soon", ms: 0 },
  { name: "handles a missing header", header: null, ms: 0 },
])("parseRetryAfter $name", ({ header, ms }) => expect(parseRetryAfter(header, DATE)).toBe(ms));

test("parseRetryAfter ignores a date when the response has none of its own", () => {
  expect(parseRetryAfter(DATE, null)).toBe(0);
});
