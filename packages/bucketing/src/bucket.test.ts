import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { bucketOf } from "./bucket.ts";

interface BucketCase {
  readonly name: string;
  readonly salt: string;
  readonly experiment_id: string;
  readonly user_id?: string;
  readonly user_utf16?: readonly number[];
  readonly bucket_count: number;
  readonly bucket: number;
}

interface UnitCase extends Omit<BucketCase, "user_id"> {
  readonly unit_id: string;
}

const readVectors = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../vectors/${name}.json`, import.meta.url), "utf8"));
const { cases } = readVectors("bucket") as { cases: BucketCase[] };
const { buckets } = readVectors("units") as { buckets: UnitCase[] };

describe("bucketOf", () => {
  test.each(cases)("vector: $name", ({ salt, experiment_id, user_id, user_utf16, bucket_count, bucket }) => {
    const userId = user_id ?? String.fromCharCode(...user_utf16!);
    expect(bucketOf({ id: experiment_id, salt, bucketCount: bucket_count }, userId)).toBe(bucket);
  });

  test.each(buckets)("vector: the unit $name", ({ salt, experiment_id, unit_id, bucket_count, bucket }) => {
    expect(bucketOf({ id: experiment_id, salt, bucketCount: bucket_count }, unit_id)).toBe(bucket);
  });

  test("spreads 100,000 users evenly over 1,000 buckets", () => {
    const experiment = { id: "0190a6c2-7b5e-7c3d-9f10-3a5b7c9d1e2f", salt: "uniform", bucketCount: 1000 };
    const counts = new Uint32Array(1000);
    for (let i = 0; i < 100_000; i++) counts[bucketOf(experiment, `user-${i}`)]! += 1;
    const chiSquare = counts.reduce((sum, count) => sum + (count - 100) ** 2 / 100, 0);
    // 999 degrees of freedom: 0.0001 and 0.9999 quantiles of the chi-square distribution.
    expect(chiSquare).toBeGreaterThan(838);
    expect(chiSquare).toBeLessThan(1174);
  });

  test("gives two experiments independent buckets", () => {
    const first = { id: "0190a6c2-7b5e-7c3d-9f10-3a5b7c9d1e2f", salt: "s", bucketCount: 2 };
    const second = { ...first, id: "0190a6c2-7b5e-7c3d-9f10-3a5b7c9d1e30" };
    const users = Array.from({ length: 10_000 }, (_, i) => `user-${i}`);
    const same = users.filter((user) => bucketOf(first, user) === bucketOf(second, user)).length;
    expect(Math.abs(same - 5000)).toBeLessThan(200); // four standard deviations
  });
});
