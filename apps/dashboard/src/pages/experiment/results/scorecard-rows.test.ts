import { expect, test } from "vitest";
import type { MetricResult } from "../../../api/types.ts";
import { isShown, type ScoreFilter, scoreRows } from "./scorecard-rows.ts";

const row = (metric: string, treatment: string, verdict: MetricResult["verdict"] = "inconclusive") =>
  ({ metric, treatment, verdict, role: "primary" }) as MetricResult;

test("comparisons are grouped by metric, with a cell per treatment", () => {
  const rows = scoreRows([row("cost", "a"), row("cost", "b"), row("speed", "b")]);
  expect(rows.map(({ metric, cells }) => [metric, [...cells.keys()]])).toEqual([
    ["cost", ["a", "b"]],
    ["speed", ["b"]],
  ]);
});

test.each([
  [{}, true],
  [{ text: " COS" }, true],
  [{ text: "money SPENT" }, true],
  [{ text: "speed" }, false],
  [{ state: "clear" }, true],
  [{ state: "better" }, false],
  [{ state: "worse" }, true],
  [{ state: "inconclusive" }, true],
  [{ state: "worse", text: "x" }, false],
] as const)("%j shows a metric with a loss and an open comparison: %s", (filter, isKept) => {
  const [cost] = scoreRows([row("cost", "a", "worse"), row("cost", "b")]);
  const whole: ScoreFilter = { text: "", state: "", ...filter };
  expect(isShown(cost!, "Money spent", whole)).toBe(isKept);
});
