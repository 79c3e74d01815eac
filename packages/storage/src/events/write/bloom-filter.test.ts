import { createHash, randomUUID } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { idBits } from "../sql/id-bits.ts";
import { BloomFilter, bytesFor, capacityIn, hashOfId } from "./bloom-filter.ts";

const IDS = 100_000;
const OTHERS = 300_000;

const hashed = (i: number) => createHash("sha256").update(`${i}`).digest().subarray(0, 16);
const counted = (i: number, at: number) => {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32BE(i, at);
  return bytes;
};

describe.each([
  { what: "random ids", bitsOf: hashed },
  { what: "ids that differ at their ends", bitsOf: (i: number) => counted(i, 12) },
  { what: "ids that differ at their beginnings", bitsOf: (i: number) => counted(i, 0) },
  { what: "ids that differ in every sixteenth bit", bitsOf: (i: number) => counted(i * 16, 6) },
])("a full filter of $what", ({ bitsOf }) => {
  const filter = new BloomFilter(IDS);
  for (let i = 0; i < IDS; i++) filter.add(hashOfId(bitsOf(i)));

  test("rules out none of them", () => {
    expect(filter.isFull).toBe(true);
    for (let i = 0; i < IDS; i++) if (!filter.mayHold(hashOfId(bitsOf(i)))) expect.fail(`rules out id ${i}`);
  });

  test("takes 0.03% of others for its own", () => {
    let held = 0;
    for (let i = IDS; i < IDS + OTHERS; i++) held += Number(filter.mayHold(hashOfId(bitsOf(i))));
    expect(held / OTHERS).toBeLessThan(0.000_4);
    expect(held).toBeGreaterThan(0);
  });
});

test.each([
  { capacity: 0, bytes: 64 },
  { capacity: 25, bytes: 64 },
  { capacity: 26, bytes: 128 },
  { capacity: 1_000_000, bytes: 2_500_032 },
])("a filter for $capacity ids takes $bytes bytes", ({ capacity, bytes }) => {
  expect([bytesFor(capacity), new BloomFilter(capacity).bytes]).toEqual([bytes, bytes]);
  expect(capacityIn(bytes)).toBeGreaterThanOrEqual(capacity);
  expect(bytesFor(capacityIn(bytes))).toBe(bytes);
});

test("no id that was added is ruled out, however few there is room for", () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.nat(50), (ids, capacity) => {
      const filter = new BloomFilter(capacity);
      for (const id of ids) filter.add(hashOfId(idBits(id)));
      expect(ids.every((id) => filter.mayHold(hashOfId(idBits(id))))).toBe(true);
      expect(filter.isFull).toBe(ids.length >= capacity);
    }),
  );
});

test("an empty filter rules out every id", () => {
  expect(new BloomFilter(1).mayHold(hashOfId(idBits(randomUUID())))).toBe(false);
});

test("a hash depends on the 16 bytes at its offset alone", () => {
  const bytes = Buffer.concat([Buffer.alloc(2, 9), hashed(1), Buffer.alloc(3, 7)]);
  expect(hashOfId(bytes, 2)).toEqual(hashOfId(hashed(1)));
});
