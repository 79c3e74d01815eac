import {
  type ArmExposure,
  type ArmMetric,
  type Day,
  dayOf,
  type FirstExposure,
  type MetricDefinition,
  type MetricResult,
  SCALE_RANGES,
  type SeriesSummary,
} from "@assay/domain";
import { scoreHistogram } from "@assay/stats";
import { distributionByArm } from "../compare/distributions.ts";
import { type JudgedUser, judgedUsers } from "../judge/judged-users.ts";
import { qualityRows, userValue } from "../judge/quality-rows.ts";
import type { RunFrame } from "../run-frame.ts";

/** The data for a metric's rows. */
export interface MetricData {
  readonly sums: readonly ArmMetric[];
  readonly distribution: MetricResult["distribution"];
  /** New users with the metric, by day. */
  readonly exposures: readonly Pick<ArmExposure, "arm" | "usersByDay">[];
  /** Null for metrics without a judge. */
  readonly judged: JudgedData | null;
}

export interface JudgedData {
  /** Null when no call of this version of the metric has been drawn. */
  readonly summary: SeriesSummary | null;
  readonly users: readonly JudgedUser[];
}

/** Picks a metric's sums from the event store's answer. */
export function eventData(
  { name, kind }: MetricDefinition,
  sums: readonly ArmMetric[],
  exposures: readonly ArmExposure[],
): MetricData {
  const own = sums.filter((row) => row.metric === name);
  const distribution = distributionByArm(own, kind === "binary" ? "binary" : "values");
  return { sums: own, distribution, exposures, judged: null };
}

/** Computes a judged metric's sums from its scored calls. */
export function judgedData(
  metric: MetricDefinition,
  { judged, until, limits }: Pick<RunFrame, "judged" | "until" | "limits">,
  exposures: readonly FirstExposure[],
): MetricData {
  const { summary = null, calls = [] } = judged.find((one) => one.metric === metric.name) ?? {};
  // Without a judge there is no scale, and old scores belong to no metric.
  const users =
    metric.judge === null ? [] : judgedUsers(calls, exposures, { windowDays: metric.windowDays, until });
  return {
    sums: qualityRows(metric, users, limits.maxSamplePerArm),
    distribution: scoreDistribution(metric, users),
    exposures: judgedPerDay(users),
    judged: { summary, users },
  };
}

/** Counts scores per arm; for kind binary, whose unit is the user, counts users. */
function scoreDistribution(
  metric: MetricDefinition,
  users: readonly JudgedUser[],
): MetricResult["distribution"] {
  const isBinary = metric.kind === "binary";
  const byArm = [...Map.groupBy(users, ({ arm }) => arm)];
  const counts = byArm.map(([, own]) =>
    countValues(
      own.flatMap((user) => (isBinary ? [userValue(metric, user).y] : user.calls.map(({ score }) => score))),
    ),
  );
  const { levels } = SCALE_RANGES[metric.judge?.scale ?? "pass_fail"];
  const { binEdges, counts: perArm } = scoreHistogram(counts, levels);
  return Object.fromEntries(byArm.map(([arm], index) => [arm, { binEdges, counts: perArm[index]! }]));
}

/** New judged users by the UTC day of their first judged call. The metric's precision grows at this pace. */
function judgedPerDay(users: readonly JudgedUser[]): MetricData["exposures"] {
  return [...Map.groupBy(users, ({ arm }) => arm)].map(([arm, own]) => ({
    arm,
    usersByDay: countValues(
      own.map(({ calls }): Day => dayOf(Math.min(...calls.map(({ occurredAt }) => occurredAt)))),
    ),
  }));
}

function countValues<T>(values: readonly T[]): ReadonlyMap<T, number> {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
