import fc from "fast-check";
import { expect, test } from "vitest";
import { rawExpiresAt, rawKeptSince } from "./raw-retention.ts";

test.each([
  ["the first instant of a day", "2026-03-10T00:00:00.000Z"],
  ["noon", "2026-03-10T12:00:00.000Z"],
  ["the last instant of a day", "2026-03-10T23:59:59.999Z"],
])("an event of %s is removed when seven whole days after it have passed", (_name, receivedAt) => {
  expect(rawExpiresAt(Date.parse(receivedAt), 7)).toBe(Date.parse("2026-03-18T00:00:00.000Z"));
});

test("an event expires at the first instant from which it is not kept", () => {
  const instant = fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2100, 0) });
  fc.assert(
    fc.property(instant, fc.constantFrom(7, 30, 90, 365), (receivedAt, days) => {
      const expiresAt = rawExpiresAt(receivedAt, days);
      expect(receivedAt).toBeLessThan(rawKeptSince(expiresAt, days));
      expect(receivedAt).toBeGreaterThanOrEqual(rawKeptSince(expiresAt - 1, days));
    }),
  );
});
