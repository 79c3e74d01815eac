import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { bucketOf } from "./bucket.ts";

interface MillionIds {
  readonly salt: string;
  readonly experiment_id: string;
  readonly bucket_count: number;
  readonly digests: readonly string[];
  readonly first: readonly { readonly utf16: readonly number[]; readonly bucket: number }[];
}

const PER_DIGEST = 100_000;
const file = new URL("../../../vectors/million-ids.json", import.meta.url);
const vectors = JSON.parse(readFileSync(file, "utf8")) as MillionIds;
const experiment = { id: vectors.experiment_id, salt: vectors.salt, bucketCount: vectors.bucket_count };

/** The random draws that the file's description defines. */
function makeDraw(): (n: number) => number {
  let x = 0x9e3779b9;
  return (n) => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return (x >>> 0) % n;
  };
}

function unitsOf(i: number, below: (n: number) => number): readonly number[] {
  const many = (length: number, unit: () => number) => Array.from({ length }, unit);
  const letter = () => 97 + below(26);
  switch (i % 8) {
    case 0:
      return Array.from(`user-${i}`, (character) => character.charCodeAt(0));
    case 1:
      return many(32, () => "0123456789abcdef".charCodeAt(below(16)));
    case 2:
      return many(1 + below(40), () => 32 + below(95));
    case 3:
      return many(1 + below(20), () => 0xa0 + below(0xd760));
    case 4:
      return many(1 + below(10), () => below(0x100000)).flatMap((p) => [
        0xd800 + (p >> 10),
        0xdc00 + (p & 0x3ff),
      ]);
    case 5:
      return many(1 + below(16), () => below(0x10000));
    case 6: {
      const units = many(1 + below(12), letter);
      const at = below(units.length);
      return units.with(at, 0xd800 + below(0x800));
    }
    default:
      return [...many((i % 256 === 7 ? 200 + below(1801) : 40 + below(20)) - 1, letter), 0xe9];
  }
}

test("million-ids.json: the first ids have the units and buckets of the file", () => {
  const below = makeDraw();
  for (const [i, { utf16, bucket }] of vectors.first.entries()) {
    expect(unitsOf(i, below)).toEqual(utf16);
    expect(bucketOf(experiment, String.fromCharCode(...utf16))).toBe(bucket);
  }
});

test("million-ids.json: a million ids have the buckets of the file", () => {
  const below = makeDraw();
  const digests = vectors.digests.map((_, chunk) => {
    const hash = createHash("sha256");
    for (let i = chunk * PER_DIGEST; i < (chunk + 1) * PER_DIGEST; i++) {
      hash.update(`${bucketOf(experiment, String.fromCharCode(...unitsOf(i, below)))}\n`);
    }
    return hash.digest("hex");
  });
  expect(digests).toEqual(vectors.digests);
});
