import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { inNight } from "../../../tests/in-night.ts";
import { bucketOf } from "./bucket.ts";
import { makeDraw, unitsOf } from "./test-support/million-ids.ts";

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

test("million-ids.json: the first ids have the units and buckets of the file", () => {
  const below = makeDraw();
  for (const [i, { utf16, bucket }] of vectors.first.entries()) {
    expect(unitsOf(i, below)).toEqual(utf16);
    expect(bucketOf(experiment, String.fromCharCode(...utf16))).toBe(bucket);
  }
});

/** A push reads the first of ten parts. */
const CHECKED = vectors.digests.slice(0, inNight(1, vectors.digests.length));

test("million-ids.json: a million ids have the buckets of the file", () => {
  const below = makeDraw();
  const digests = CHECKED.map((_, chunk) => {
    const hash = createHash("sha256");
    for (let i = chunk * PER_DIGEST; i < (chunk + 1) * PER_DIGEST; i++) {
      hash.update(`${bucketOf(experiment, String.fromCharCode(...unitsOf(i, below)))}\n`);
    }
    return hash.digest("hex");
  });
  expect(digests).toEqual(CHECKED);
});
