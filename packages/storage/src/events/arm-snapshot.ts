import type { AnalysisQuery, ArmExposure, ArmMetric, ArmSnapshot, MetricQuery } from "@assay/domain";
import { armQuery } from "./arm-query.ts";
import type { EngineClient } from "./engine-client.ts";

/** users, events, mean y, var y, mean d, var d, cov(y, d), fine bins and their counts. */
type MetricRow = readonly [
  users: number,
  events: number,
  meanY: number | null,
  varY: number | null,
  meanD: number | null,
  varD: number | null,
  covYD: number | null,
  fine: readonly [bins: readonly number[], counts: readonly number[]],
];

type ArmRow = readonly [
  arm: string,
  period: number,
  users: number,
  testUsers: number,
  contaminatedUsers: number,
  firstAt: number,
  droppedPreExposure: number,
  variantConflicts: number,
  ...metrics: readonly MetricRow[],
];

const FIRST_METRIC = 8;

/** Sums of one analysis. A sum that no double holds comes back as NaN. */
export async function loadArmSnapshot(engine: EngineClient, query: AnalysisQuery): Promise<ArmSnapshot> {
  const { sql, params } = armQuery(query);
  const rows = await engine.rows<ArmRow>(sql, params, {
    max_threads: 1,
    optimize_aggregation_in_order: 1,
  });
  const exposed = rows.filter(([, , users]) => users > 0);
  return {
    exposures: exposed.map(toExposure),
    metrics: query.metrics.flatMap((metric, i) =>
      exposed.flatMap((row) => toMetric(metric, row, row[FIRST_METRIC + i] as MetricRow)),
    ),
    droppedPreExposure: rows.reduce((total, row) => total + row[6], 0),
    variantConflicts: rows.reduce((total, row) => total + row[7], 0),
    firstExposureAt: exposed.length === 0 ? null : Math.min(...exposed.map((row) => row[5])),
  };
}

function toExposure([arm, period, users, testUsers, contaminatedUsers]: ArmRow): ArmExposure {
  return { arm, period, users, testUsers, contaminatedUsers };
}

/** An arm of which nobody is in the sample has no row. */
function toMetric({ name }: MetricQuery, [arm, period]: ArmRow, row: MetricRow): readonly ArmMetric[] {
  const [users, events, meanY, varY, meanD, varD, covYD, [bins, counts]] = row;
  if (users === 0) return [];
  return [
    {
      metric: name,
      arm,
      period,
      users,
      events,
      meanY: meanY ?? Number.NaN,
      m2Y: (varY ?? Number.NaN) * users,
      meanD: meanD ?? Number.NaN,
      m2D: (varD ?? Number.NaN) * users,
      cYD: (covYD ?? Number.NaN) * users,
      fineCounts: new Map(bins.map((bin, i) => [bin, counts[i] ?? 0])),
    },
  ];
}
