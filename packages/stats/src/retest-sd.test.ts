import { expect, test } from "vitest";
import { retestSd } from "./retest-sd.ts";

test.each([
  { name: "of judgements that agree", differences: [0, 0, 0], sd: 0 },
  { name: "of one point up and one down", differences: [1, -1], sd: Math.SQRT1_2 },
  { name: "counts a shift as noise", differences: [1, 1, 1, 1], sd: Math.SQRT1_2 },
  { name: "of several sizes", differences: [2, 0, -1, 1], sd: Math.sqrt(0.75) },
])("retestSd $name", ({ differences, sd }) => expect(retestSd(differences)).toBeCloseTo(sd, 12));

test.each([{ differences: [] }, { differences: [1] }])("is null for $differences", ({ differences }) =>
  expect(retestSd(differences)).toBeNull(),
);
