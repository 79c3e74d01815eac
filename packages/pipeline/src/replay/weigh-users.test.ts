import { expect, test } from "vitest";
import { armData } from "../compare/arm-data.ts";
import { callers, sums, users } from "../test-support/arms.ts";
import { weighUsers } from "./weigh-users.ts";

const place = { metric: "m", arm: "control" };
const valued = (...list: readonly { y: number; d?: number }[]) => armData([users(place, list)], [0]);

test.each([
  ["the sum of a mean", "mean", valued({ y: 6 }, { y: -3 }, { y: 1 }), 0.6, 1 / 3],
  [
    "calls, if they are more unequal",
    "ratio",
    valued({ y: 1, d: 8 }, { y: 1, d: 1 }, { y: 1, d: 1 }),
    0.8,
    1,
  ],
  [
    "sums, if they are more unequal",
    "ratio",
    valued({ y: 8, d: 1 }, { y: 1, d: 1 }, { y: 1, d: 1 }),
    0.8,
    2 / 3,
  ],
  ["nothing, where ranks count", "ordinal", valued({ y: 100 }, { y: 1 }), null, 0.5],
  ["nobody, if all values are zero", "mean", valued({ y: 0, d: 0 }, { y: 0, d: 0 }), 0, 1],
  ["the calls of a quantile", "quantile", armData([callers(place, [[1, 2, 3], [4]])], [0]), 0.75, null],
  ["nothing, where only counts are known", "binary", armData([sums(place, 5)], [0]), null, null],
] as const)("the largest share of %s", (_, kind, arm, largestShare, tiedShare) => {
  expect(weighUsers({ kind }, arm)).toEqual({ largestShare, tiedShare });
});
