import { expect, test } from "vitest";
import type { Wire } from "../../../../api/types.ts";
import { effectSeries } from "./effect-series.ts";

const night = (
  day: string,
  version: number,
  row: Record<string, unknown> | null,
  withheldBy: string | null = null,
) => ({
  computed_for: day,
  version,
  withheld_by: withheldBy,
  results:
    row === null
      ? {}
      : { "cost::concise": { metric_version: 1, control_value: 200, n_per_arm: { a: 3, b: 4 }, ...row } },
});
const history = (...runs: readonly unknown[]) =>
  ({ experiment_id: "", runs }) as unknown as Wire<"ResultsHistory">;

const row = {
  effect: 20,
  ci_low: 10,
  ci_high: 30,
  ci_seq_low: 0,
  ci_seq_high: null,
  relative_effect: 0.1,
  relative_ci_low: 0.05,
  relative_ci_high: 0.15,
};

test("effects are relative while every night has a relative effect", () => {
  const { points, isRelative } = effectSeries(history(night("2026-11-01", 1, row)), "cost::concise");
  expect(isRelative).toBe(true);
  expect(points).toMatchObject([{ effect: 0.1, low: 0.05, high: 0.15, seqLow: 0, seqHigh: null, users: 7 }]);
});

test("one night without a relative effect puts all in the metric's unit", () => {
  const none = { ...row, relative_effect: null, relative_ci_low: null, relative_ci_high: null };
  const { points } = effectSeries(
    history(night("2026-11-01", 1, row), night("2026-11-02", 1, none)),
    "cost::concise",
  );
  expect(points.map(({ effect, low }) => [effect, low])).toEqual([
    [20, 10],
    [20, 10],
  ]);
});

test("nights of different versions are joined by what is no measurement, withheld ones are named", () => {
  const { joints, withheld, points } = effectSeries(
    history(
      night("2026-11-01", 1, row),
      night("2026-11-02", 1, null, "lost-traces"),
      night("2026-11-03", 1, row),
      night("2026-11-04", 2, row),
      night("2026-11-05", 2, { ...row, metric_version: 2 }),
    ),
    "cost::concise",
  );
  expect(points).toHaveLength(4);
  expect(withheld).toEqual(["2026-11-02"]);
  expect(joints.map((joint) => joint.map(({ day }) => day))).toEqual([
    ["2026-11-03", "2026-11-04"],
    ["2026-11-04", "2026-11-05"],
  ]);
});

test("a comparison that no night knows has no points", () => {
  expect(effectSeries(history(night("2026-11-01", 1, row)), "other::concise").points).toEqual([]);
});
