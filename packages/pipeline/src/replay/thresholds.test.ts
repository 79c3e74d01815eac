import { type MetricDefinition, PLAN_LIMITS, runSeed } from "@assay/domain";
import { expect, test } from "vitest";
import type { MetricData } from "../run/metric-data.ts";
import { callers } from "../test-support/arms.ts";
import { experimentOf, metric, until } from "../test-support/runs.ts";
import { replay } from "./replay-experiment.ts";
import { replayMetric } from "./replay-metric.ts";
import { tossCoins } from "./split-users.ts";

test.each([
  { metrics: 0, maxUsers: 6_000 },
  { metrics: 5, maxUsers: 6_000 },
  { metrics: 6, maxUsers: 5_000 },
  { metrics: 49, maxUsers: 612 },
  { metrics: 50, maxUsers: 600 },
  { metrics: 51, maxUsers: 600 },
])("of $metrics metrics each gets $maxUsers users", ({ metrics, maxUsers }) => {
  const all = Array.from({ length: metrics }, (_, n) => metric(`m${n}`));
  const frame = {
    experiment: experimentOf(all),
    periods: [{ startsAt: 0, shares: { control: 0.5, treatment: 0.5 } }],
    until,
    computedAt: until,
    limits: PLAN_LIMITS.pro,
  } as unknown as Parameters<typeof replay>[0];
  expect(replay(frame, { metrics: [], exposures: [] }, []).maxUsers).toBe(maxUsers);
});

test("a metric is judged when half of its splits can be tested", () => {
  const splits = 100;
  const experiment = experimentOf([]);
  const limits = { ...PLAN_LIMITS.pro, monthlyJudgeEvaluations: null, maxPermutations: 19 };
  const tested = new Set<number>();
  for (let users = 40; users <= 48; users++)
    for (const name of ["p50", "median", "middle"]) {
      const p50: MetricDefinition = metric(name, { kind: "quantile", quantile: 0.5 });
      const calls = Array.from({ length: users }, (_, user) => [1.1 ** user]);
      const data = {
        sums: [callers({ metric: name, arm: "control" }, calls)],
        judged: null,
      } as unknown as MetricData;
      // A median needs ten users on each side of it, in each half.
      const count = Array.from({ length: splits }, (_, split) => {
        const coins = tossCoins(users, runSeed(experiment.id, name, "1", `split ${split}`));
        const heads = calls.filter((_, user) => coins.isHeads(user)).length;
        return Math.min(heads, users - heads) >= 20;
      }).filter(Boolean).length;
      const found = replayMetric(p50, data, { frame: { experiment, limits }, splits, maxUsers: 600 });
      expect(found.splits).toBe(count >= splits / 2 ? count : 0);
      tested.add(Math.floor(count / 10));
    }
  expect([...tested]).toEqual(expect.arrayContaining([4, 5]));
});
