import { type ArmMetric, type MetricDefinition, SCALE_RANGES, type ScoredCall } from "@assay/domain";
import { ratioMomentsOf, sumOf } from "@assay/stats";
import type { JudgedUser } from "./judged-users.ts";

type Judged = Pick<MetricDefinition, "name" | "kind" | "judge">;

/**
 * Arranges the judged users as the event store arranges other metrics' users, so that every test works on them: the
 * sums per arm and period, and the values of at most `maxUsers` users. A call drawn with probability p counts 1 / p
 * times (Hájek).
 */
export function qualityRows(
  metric: Judged,
  users: readonly JudgedUser[],
  maxUsers: number,
): readonly ArmMetric[] {
  const groups = Map.groupBy(users, ({ arm, period }) => `${period} ${arm}`);
  return [...groups.values()].map((own) => toRow(metric, own, { ...own[0]!, maxUsers }));
}

function toRow(
  metric: Judged,
  users: readonly JudgedUser[],
  { arm, period, maxUsers }: Pick<JudgedUser, "arm" | "period"> & { readonly maxUsers: number },
): ArmMetric {
  const values = users.map((user) => userValue(metric, user));
  const y = Float64Array.from(values, (value) => value.y);
  const d = Float64Array.from(values, (value) => value.d);
  const { n, ...moments } = ratioMomentsOf({ y, d });
  const unknown = new Float64Array(Math.min(n, maxUsers)).fill(Number.NaN);
  const clusters = Float64Array.from(users.slice(0, maxUsers).flatMap(({ cluster }) => cluster ?? []));
  const isClustered = clusters.length > 0;
  return {
    metric: metric.name,
    arm,
    period,
    users: n,
    events: sumOf(users.map(({ calls }) => calls.length)),
    ...moments,
    // Scores have few levels, so they have their own distribution (`score-distribution.ts`).
    fineCounts: new Map(),
    sample:
      metric.kind === "binary" && !isClustered
        ? null
        : {
            type: "values",
            y: y.subarray(0, maxUsers),
            d: d.subarray(0, maxUsers),
            preY: unknown,
            preD: unknown,
            ...(isClustered && { clusters }),
          },
  };
}

/**
 * A user's y and d. Ratio weighs calls equally, the other kinds weigh users equally. Binary: y = 1 when no judged call
 * of the user failed.
 */
export function userValue(
  { kind, judge }: Judged,
  { calls }: Pick<JudgedUser, "calls">,
): { readonly y: number; readonly d: number } {
  if (kind === "binary") {
    const { max } = SCALE_RANGES[judge!.scale];
    return { y: calls.every(({ score }) => score >= max) ? 1 : 0, d: 1 };
  }
  const d = sumOf(calls.map(weightOf));
  const y = sumOf(calls.map((call) => weightOf(call) * call.score));
  return kind === "ratio" ? { y, d } : { y: y / d, d: 1 };
}

/** Number of calls that a drawn call represents. */
export function weightOf({ probability }: Pick<ScoredCall, "probability">): number {
  return 1 / probability;
}
