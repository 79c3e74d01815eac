import { describe, expect, test } from "vitest";
import { allocationInWords, matchesWeights, variantShares } from "./allocation.ts";

const bucket_count = 1000;
const allocation = [
  { variant: "control", weight: 3 },
  { variant: "concise", weight: 1 },
];

test("variantShares spreads the coverage by weight, and lists variants that only old buckets have", () => {
  expect(
    variantShares({
      allocation,
      coverage: 0.4,
      effective_allocation: { control: 0.3, concise: 0.1, old: 0.2 },
    }),
  ).toEqual([
    { variant: "control", weight: 3, wanted: expect.closeTo(0.3, 12), inForce: 0.3 },
    { variant: "concise", weight: 1, wanted: expect.closeTo(0.1, 12), inForce: 0.1 },
    { variant: "old", weight: 0, wanted: 0, inForce: 0.2 },
  ]);
});

describe("allocationInWords", () => {
  test.each([
    {
      name: "that the weights are in force",
      experiment: { allocation, bucket_count, effective_allocation: { control: 0.75, concise: 0.25 } },
      words: "In force: control 75%, concise 25% of all users. This matches the weights.",
    },
    {
      name: "who is not in the experiment",
      experiment: {
        allocation,
        bucket_count,
        coverage: 0.2,
        effective_allocation: { control: 0.15, concise: 0.05 },
      },
      words: "In force: control 15%, concise 5% of all users; 80% take no part. This matches the weights.",
    },
    {
      name: "why something else is in force",
      experiment: { allocation, bucket_count, effective_allocation: { control: 0.5, concise: 0.5 } },
      words:
        "In force: control 50%, concise 50% of all users. This differs from the weights: users keep their variant, so new weights apply only to buckets that cannot hold a user yet.",
    },
  ])("says $name", ({ experiment, words }) =>
    expect(allocationInWords(experiment).replaceAll("\u00a0", " ")).toBe(words),
  );
});

test.each([
  { inForce: { control: 0.75, concise: 0.25 }, buckets: 1000, isSo: true },
  { inForce: { control: 0.752, concise: 0.248 }, buckets: 1000, isSo: true },
  { inForce: { control: 0.7, concise: 0.3 }, buckets: 10, isSo: true },
  { inForce: { control: 0.7, concise: 0.3 }, buckets: 1000, isSo: false },
  { inForce: { control: 0.75, concise: 0.25, gone: 0.1 }, buckets: 1000, isSo: false },
])("matchesWeights of $inForce with $buckets buckets: $isSo", ({ inForce, buckets, isSo }) =>
  expect(
    matchesWeights({
      allocation,
      effective_allocation: inForce as Record<string, number>,
      bucket_count: buckets,
    }),
  ).toBe(isSo),
);
