import fc from "fast-check";
import { expect, test } from "vitest";
import { idBits } from "../sql/id-bits.ts";
import { bytesFor, hashOfId } from "./bloom-filter.ts";
import { IdFilter } from "./id-filter.ts";

const hashOf = (id: string | number) => hashOfId(idBits(`${id}`));
/** What a week takes at first. */
const LEAST = bytesFor(65_536);

type Change =
  | { readonly kind: "add"; readonly id: number; readonly week: number }
  | { readonly kind: "reserve"; readonly week: number; readonly ids: number }
  | { readonly kind: "forget"; readonly before: number };

const week = fc.integer({ min: 3, max: 12 });
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("add" as const), id: fc.nat(500), week }) },
  fc.record({ kind: fc.constant("reserve" as const), week, ids: fc.nat(1_000) }),
  fc.record({ kind: fc.constant("forget" as const), before: week }),
);

test("no id of a remembered week is ruled out, within the memory", () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), fc.integer({ min: 1, max: 8 }), (changes, most) => {
      const filter = new IdFilter(5, most * LEAST);
      const given: { id: number; week: number }[] = [];
      for (const each of changes) {
        if (each.kind === "add") {
          filter.add(hashOf(each.id), each.week);
          given.push(each);
        } else if (each.kind === "reserve") filter.reserve(each.week, each.ids);
        else filter.forgetBefore(each.before);
        expect(filter.bytes).toBeLessThanOrEqual(most * LEAST);
        if (filter.isOverfull) continue;
        for (const { id, week } of given)
          if (week >= filter.firstWeek && !filter.mayHold(hashOf(id))) expect.fail(`rules out ${id}`);
      }
    }),
  );
});

test("a forgotten week takes no memory, and its ids are ruled out", () => {
  const filter = new IdFilter(5, 10 * LEAST);
  for (const week of [4, 5, 6, 7]) filter.add(hashOf(week), week);
  expect([4, 5, 6, 7].map((id) => filter.mayHold(hashOf(id)))).toEqual([false, true, true, true]);
  expect(filter.bytes).toBe(3 * LEAST);
  filter.forgetBefore(7);
  filter.forgetBefore(6);
  filter.add(hashOf(6), 6);
  expect([5, 6, 7].map((id) => filter.mayHold(hashOf(id)))).toEqual([false, false, true]);
  expect({ firstWeek: filter.firstWeek, bytes: filter.bytes }).toEqual({ firstWeek: 7, bytes: LEAST });
});

test("a week has room for as many ids as the week before had, then for half of its own", () => {
  const filter = new IdFilter(0, 100 * LEAST);
  const bytesAfter = (ids: number, week: number) => {
    for (let id = 0; id < ids; id++) filter.add({ block: id * 2 ** 14, bits: id }, week);
    return filter.bytes;
  };
  filter.reserve(0, 200_000);
  expect(bytesAfter(200_000, 0)).toBe(bytesFor(200_000));
  expect(bytesAfter(1, 0)).toBe(bytesFor(200_000) + bytesFor(100_000));
  const weekBefore = filter.bytes;
  expect(bytesAfter(200_001, 1)).toBe(weekBefore + bytesFor(200_001));
});

test("a week has no more room than there is memory", () => {
  const filter = new IdFilter(0, 4 * LEAST);
  const add = (ids: number) => {
    for (let id = 0; id < ids; id++) filter.add({ block: id, bits: id }, 0);
    return { isOverfull: filter.isOverfull, bytes: filter.bytes };
  };
  filter.reserve(0, 65_536 * 2.5);
  expect(add(65_536 * 2.5)).toEqual({ isOverfull: false, bytes: 2.5 * LEAST });
  expect(add(65_536 * 1.25)).toEqual({ isOverfull: false, bytes: 3.75 * LEAST });
  expect(add(1)).toEqual({ isOverfull: true, bytes: 0 });
});

test("a filter with more ids than fit forgets all for good", () => {
  const filter = new IdFilter(0, 2 * LEAST);
  filter.add(hashOf("a"), 0);
  filter.add(hashOf("b"), 1);
  expect({ isOverfull: filter.isOverfull, bytes: filter.bytes }).toEqual({
    isOverfull: false,
    bytes: 2 * LEAST,
  });
  filter.add(hashOf("c"), 2);
  filter.add(hashOf("d"), 2);
  filter.reserve(3, 10);
  expect({ isOverfull: filter.isOverfull, bytes: filter.bytes }).toEqual({ isOverfull: true, bytes: 0 });
});
