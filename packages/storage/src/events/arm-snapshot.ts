import type { AnalysisQuery, ArmExposure, ArmMetric, ArmSnapshot } from "@assay/domain";
import { armQuery } from "./arm-query.ts";
import type { EngineClient } from "./engine-client.ts";
import { IN_KEY_ORDER } from "./key-order.ts";
import { type MetricColumns, queryColumns } from "./metric-columns.ts";
import { type SumsRow, toMetricSums } from "./metric-sums.ts";
import { decodeSample, parseSample, type SampleRecords, trimSamples } from "./sample-record.ts";
import { type DayCounts, toUsersByDay } from "./users-by-day.ts";

type ArmRow = readonly [
  arm: string,
  period: number,
  users: number,
  testUsers: number,
  contaminatedUsers: number,
  heavyUsers: number,
  firstAt: number,
  usersByDay: DayCounts,
  outcomes: number,
  droppedPreExposure: number,
  variantConflicts: number,
  sample: string,
  ...metrics: readonly SumsRow[],
];

const FIRST_METRIC = 12;

/** Loads what one analysis needs. A sum that no double holds comes back as NaN; a user's own value may be infinite. */
export async function loadArmSnapshot(engine: EngineClient, query: AnalysisQuery): Promise<ArmSnapshot> {
  const used = queryColumns(query);
  const { sql, params } = armQuery(query, used);
  const rows = (await engine.rows<ArmRow>(sql, params, IN_KEY_ORDER)).sort(byArmAndPeriod);
  const exposed = rows.filter(([, , users]) => users > 0);
  const samples = samplesOf(exposed, query, used.columns);
  const total = (column: 8 | 9 | 10) => rows.reduce((sum, row) => sum + row[column], 0);
  return {
    exposures: exposed.map(toExposure),
    metrics: query.metrics.flatMap(({ name }, i) =>
      exposed.flatMap((row): readonly ArmMetric[] => {
        const own = used.ofMetrics[i] as MetricColumns;
        const sums = toMetricSums(own.metric, sumsOf(row, own));
        if (sums === null) return [];
        const sample = samples.get(row)?.[own.index] ?? null;
        return [{ metric: name, arm: row[0], period: row[1], ...sums, sample }];
      }),
    ),
    outcomes: total(8),
    droppedPreExposure: total(9),
    variantConflicts: total(10),
    firstExposureAt: exposed.length === 0 ? null : Math.min(...exposed.map((row) => row[6])),
  };
}

/** Sorted here, because the engine would copy the samples for it. */
function byArmAndPeriod([arm, period]: ArmRow, [otherArm, otherPeriod]: ArmRow): number {
  if (arm === otherArm) return period - otherPeriod;
  return arm < otherArm ? -1 : 1;
}

function toExposure(row: ArmRow): ArmExposure {
  const [arm, period, users, testUsers, contaminatedUsers, heavyUsers, , usersByDay] = row;
  return {
    arm,
    period,
    users,
    testUsers,
    contaminatedUsers,
    heavyUsers,
    usersByDay: toUsersByDay(usersByDay),
  };
}

function sumsOf(row: ArmRow, { index }: MetricColumns): SumsRow {
  return row[FIRST_METRIC + index] as SumsRow;
}

type Vectors = ReturnType<typeof decodeSample>;

/** Decodes the records arm by arm, since the limit holds for all of an arm's periods together. */
function samplesOf(
  rows: readonly ArmRow[],
  { sample }: AnalysisQuery,
  columns: readonly MetricColumns[],
): ReadonlyMap<ArmRow, Vectors> {
  const samples = new Map<ArmRow, Vectors>();
  if (sample === null) return samples;
  for (const ofArm of Map.groupBy(rows, ([arm]) => arm).values()) {
    const groups = trimSamples(
      ofArm.map((row) => parseSample(row[11])),
      sample.maxUsersPerArm,
    );
    for (const [i, row] of ofArm.entries()) {
      const caps = columns.map((own) => sumsOf(row, own)[8]);
      samples.set(row, decodeSample(groups[i] as SampleRecords, columns, caps));
    }
  }
  return samples;
}
