import type { AnalysisQuery, ArmExposure, ArmMetric, ArmSnapshot } from "@assay/domain";
import type { EventEngine } from "../engine/event-engine.ts";
import { foldDays } from "../units/fold-days.ts";
import type { FoldedDays } from "../units/unit-days.ts";
import { armQuery } from "./arm-query.ts";
import { covariateSources } from "./covariate-sql.ts";
import { IN_KEY_ORDER } from "./key-order.ts";
import { addCounts } from "./merge-sums.ts";
import { type MetricColumns, type QueryColumns, queryColumns } from "./metric-columns.ts";
import { type GroupSums, type SumsRow, sumsOf, toMetricSums } from "./metric-sums.ts";
import { decodeSample, mergeSamples, parseSample, type SampleRecords, trimSamples } from "./sample-record.ts";
import { type DayCounts, toUsersByDay } from "./users-by-day.ts";

type ArmRow = readonly [
  shard: number,
  arm: string,
  period: number,
  ...counts: readonly [users: number, testUsers: number, contaminatedUsers: number, heavyUsers: number],
  firstAt: number,
  usersByDay: DayCounts,
  ...outcomes: readonly [outcomes: number, droppedPreExposure: number, variantConflicts: number],
  sample: string,
  ...sums: GroupSums,
];

const FIRST_SUMS = 13;

/** The shards' rows for an arm and a period, in the order of the shards. */
interface ArmGroup {
  readonly arm: string;
  readonly period: number;
  readonly rows: readonly ArmRow[];
}

/** Loads the data of one analysis. A sum that overflows a double is NaN; a single user's value may be infinite. */
export async function loadArmSnapshot(engine: EventEngine, query: AnalysisQuery): Promise<ArmSnapshot> {
  const used = queryColumns(query);
  const { sql, params } = armQuery(engine, query, { used, folded: await foldedFor(engine, query, used) });
  const rows = await engine.rows<ArmRow>(sql, params, IN_KEY_ORDER);
  const exposed = groupsOf(rows.filter(([, , , users]) => users > 0));
  const samples = samplesOf(exposed, query, used.columns);
  return {
    exposures: exposed.map(toExposure),
    metrics: query.metrics.flatMap(({ name }, i) =>
      exposed.flatMap((group): readonly ArmMetric[] => {
        const own = used.ofMetrics[i] as MetricColumns;
        const sums = toMetricSums(own.metric, sumsOfGroup(group, own));
        if (sums === null) return [];
        const sample = samples.get(group)?.[own.index] ?? null;
        return [{ metric: name, arm: group.arm, period: group.period, ...sums, sample }];
      }),
    ),
    outcomes: total(rows, 9),
    droppedPreExposure: total(rows, 10),
    variantConflicts: total(rows, 11),
    firstExposureAt:
      exposed.length === 0 ? null : Math.min(...exposed.flatMap((group) => group.rows.map((row) => row[7]))),
  };
}

/** Brings the cells up to date that a query's covariates are read from, if it has some. */
async function foldedFor(
  engine: EventEngine,
  { orgId, until, sample, exclusions }: AnalysisQuery,
  used: QueryColumns,
): Promise<FoldedDays | null> {
  if (sample === null || exclusions.length > 0 || covariateSources(used).length === 0) return null;
  return foldDays(engine, orgId, until);
}

/** Sorts here, because the engine would copy the samples to sort. */
function groupsOf(rows: readonly ArmRow[]): readonly ArmGroup[] {
  const sorted = rows.toSorted(
    ([shard, arm, period], [otherShard, otherArm, otherPeriod]) =>
      compare(arm, otherArm) || period - otherPeriod || shard - otherShard,
  );
  const groups = Map.groupBy(sorted, ([, arm, period]) => `${period} ${arm}`);
  return [...groups.values()].map((own) => ({ arm: own[0]![1], period: own[0]![2], rows: own }));
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function total(rows: readonly ArmRow[], column: 3 | 4 | 5 | 6 | 9 | 10 | 11): number {
  return rows.reduce((sum, row) => sum + row[column], 0);
}

function toExposure({ arm, period, rows }: ArmGroup): ArmExposure {
  return {
    arm,
    period,
    users: total(rows, 3),
    testUsers: total(rows, 4),
    contaminatedUsers: total(rows, 5),
    heavyUsers: total(rows, 6),
    usersByDay: rows.map((row) => toUsersByDay(row[8])).reduce(addCounts),
  };
}

function sumsOfGroup({ rows }: ArmGroup, own: MetricColumns): readonly SumsRow[] {
  return rows.map((row) => sumsOf(own, row.slice(FIRST_SUMS) as unknown as GroupSums));
}

type Vectors = ReturnType<typeof decodeSample>;

/** Decodes the records arm by arm, because the limit applies to all periods of an arm together. */
function samplesOf(
  groups: readonly ArmGroup[],
  { sample }: AnalysisQuery,
  columns: readonly MetricColumns[],
): ReadonlyMap<ArmGroup, Vectors> {
  const samples = new Map<ArmGroup, Vectors>();
  if (sample === null) return samples;
  for (const ofArm of Map.groupBy(groups, ({ arm }) => arm).values()) {
    const records = trimSamples(
      ofArm.map(({ rows }) => mergeSamples(rows.map((row) => parseSample(row[12])))),
      sample.maxUsersPerArm,
    );
    for (const [i, group] of ofArm.entries()) {
      const caps = columns.map((own) => sumsOfGroup(group, own)[0]?.[8] ?? null);
      samples.set(group, decodeSample(records[i] as SampleRecords, columns, { caps, sample }));
    }
  }
  return samples;
}
