import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileBuckets, variantAt, type WireBuckets } from "./variant-at.ts";

const ranges: WireBuckets = [
  [300, 0],
  [500, 1],
  [900, -1],
  [1000, 0],
];

describe("variantAt", () => {
  test.each([
    { bucket: 0, owner: 0 },
    { bucket: 299, owner: 0 },
    { bucket: 300, owner: 1 },
    { bucket: 499, owner: 1 },
    { bucket: 500, owner: -1 },
    { bucket: 899, owner: -1 },
    { bucket: 900, owner: 0 },
    { bucket: 999, owner: 0 },
    { bucket: 1000, owner: -1 },
  ])("gives bucket $bucket to $owner", ({ bucket, owner }) => {
    expect(variantAt(compileBuckets(ranges), bucket)).toBe(owner);
  });

  test("finds nobody in an empty map", () => {
    expect(variantAt(compileBuckets([]), 0)).toBe(-1);
  });

  test("agrees with a linear search on any map", () => {
    const owner = fc.integer({ min: -1, max: 3 });
    fc.assert(
      fc.property(fc.array(owner, { minLength: 1, maxLength: 60 }), (owners) => {
        const compiled = compileBuckets(owners.map((variantIndex, bucket) => [bucket + 1, variantIndex]));
        expect(owners.map((_, bucket) => variantAt(compiled, bucket))).toEqual(owners);
      }),
    );
  });
});
