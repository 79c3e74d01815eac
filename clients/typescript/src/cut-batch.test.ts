import fc from "fast-check";
import { expect, test } from "vitest";
import { cutBatch } from "./cut-batch.ts";
import type { KeptEvent } from "./offline-store.ts";

const events = (...sizes: number[]): KeptEvent[] =>
  sizes.map((bytes, i) => ({ eventId: `e${i}`, occurredAt: 0, row: "", bytes }));

test.each([
  { name: "takes all that fit", sizes: [10, 20, 30], maxEvents: 100, count: 3 },
  { name: "stops at the number of events", sizes: [1, 1, 1], maxEvents: 2, count: 2 },
  { name: "stops at the bytes", sizes: [60, 40, 1], maxEvents: 100, count: 2 },
  { name: "takes a first event that is too large, alone", sizes: [101, 1], maxEvents: 100, count: 1 },
  { name: "does not skip an event that does not fit", sizes: [50, 60, 10], maxEvents: 100, count: 1 },
  { name: "returns none for none", sizes: [], maxEvents: 100, count: 0 },
])("cutBatch $name", ({ sizes, maxEvents, count }) => {
  const given = events(...sizes);
  expect(cutBatch(given, maxEvents, 100)).toEqual(given.slice(0, count));
});

test("cutBatch is a copy", () => {
  const given = events(1);
  expect(cutBatch(given, 100, 100)).not.toBe(given);
});

test("batch after batch, all events leave in order, once each", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 150 }), { maxLength: 60 });
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 20 }), (given, maxEvents) => {
      const all = events(...given);
      let rest: readonly KeptEvent[] = all;
      const taken: KeptEvent[] = [];
      while (rest.length > 0) {
        const batch = cutBatch(rest, maxEvents, 100);
        taken.push(...batch);
        rest = rest.slice(batch.length);
      }
      expect(taken).toEqual(all);
    }),
  );
});
