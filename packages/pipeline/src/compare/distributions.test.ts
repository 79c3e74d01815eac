import { expect, test } from "vitest";
import { sums } from "../test-support/arms.ts";
import { liveDistributions } from "./distributions.ts";

test("the live view has every metric's values by arm, over all periods, in bins that the arms share", () => {
  const row = (
    metric: string,
    arm: string,
    period: number,
    counts: readonly (readonly [number, number])[],
  ) => ({
    ...sums({ metric, arm, period }, 10),
    fineCounts: new Map(counts),
  });
  const live = liveDistributions(
    [
      row("mean", "control", 0, [[1, 4]]),
      row("mean", "control", 1, [[1, 2]]),
      row("mean", "treatment", 0, [[9, 7]]),
      row("share", "control", 0, [[0, 5]]),
    ],
    new Set(["share"]),
  );
  expect(Object.keys(live)).toEqual(["mean", "share"]);
  const { control, treatment } = live.mean!;
  expect(control!.binEdges).toEqual(treatment!.binEdges);
  expect([control!.counts.at(0), treatment!.counts.at(-1)]).toEqual([6, 7]);
  expect(live.share!.control!.counts).toHaveLength(2);
});
