import {
  type ExperimentUnit,
  GUARD_COLUMNS,
  GUARD_GROUPS,
  type GuardColumn,
  type GuardQuery,
  type GuardSums,
  TEST_USER_PREFIX,
} from "@assay/domain";
import type { BoundQuery } from "../engine/engine-client.ts";
import type { EventEngine } from "../engine/event-engine.ts";
import { callCostSql, priceParams } from "../sql/call-cost-sql.ts";
import { countedRows, IS_ELIGIBLE, unitColumn } from "../sql/conditions.ts";
import { WEIGHT } from "../sql/event-weight.ts";
import { hasCopies } from "../sql/has-copies.ts";
import type { SelectedEvents } from "../sql/selected-events.ts";
import { MARKED } from "./event-kind.ts";
import { eventValuesSql } from "./event-values-sql.ts";
import { columnParams, type QueryColumns, queryColumns } from "./metric-columns.ts";

/** The sum for each column, over names of the inner query. */
const SUMS: Readonly<Record<GuardColumn, string>> = {
  exposures: "countIf(type = 'exposure')",
  calls: "countIf(type = 'model_call')",
  errors: "countIf(type = 'model_call' AND NOT completed)",
  completed: "countIf(completed)",
  // Tool calls also have latencies.
  latencySum: "sumIf(latency_ms, type = 'model_call')",
  latencyCount: "countIf(type = 'model_call' AND isNotNull(latency_ms))",
  costSum: "sum(cost)",
  costCount: "count(cost)",
  missingUsage: "countIf(missing_usage)",
  truncated: "countIf(truncated)",
};

/** Writes the owner of the unit's bucket as `bucketOf` computes it. The engine's hash with seed 0 is the same. */
function ownerSql(unit: ExperimentUnit): string {
  return `arrayElement({owners: Array(String)}, 1 + arrayCount(end ->
  end <= murmurHash3_32(concat({bucket_prefix: String}, ${unitColumn(unit)})) % {bucket_count: UInt32}, {bucket_ends: Array(UInt32)}))`;
}

/** Sums up what a guard watches, like `createGuardTally`. Reads the newest days of the raw log, or the analysis log for all events. */
export async function loadGuardSums(engine: EventEngine, query: GuardQuery): Promise<GuardSums> {
  const metrics = query.metrics.map((metric, index) => ({
    ...({ ...metric, name: `${index}`, kind: "ratio", windowDays: null, cap: null } as const),
  }));
  const used = queryColumns({ metrics, prices: query.prices });
  const where = selected(query);
  const { sql, params } = sumsQuery({ query, used, where, hasCopies: await hasCopies(engine, where) });
  const rows = await engine.rows<[arm: string, group: number, ...sums: number[]]>(
    `SELECT * FROM ${engine.perShard(sql)}`,
    params,
  );
  const arms = new Map<string, Float64Array[]>();
  for (const [arm, group, ...sums] of rows) {
    const columns = arms.get(arm) ?? sums.map(() => new Float64Array(GUARD_GROUPS));
    arms.set(arm, columns);
    // Each shard has different users of a group, so the shards' sums are added.
    for (const [i, sum] of sums.entries()) columns[i]![group]! += sum;
  }
  return arms;
}

/** Selects the counted events by their times of receipt and occurrence. */
function selected(query: GuardQuery): SelectedEvents {
  const { counted, params } = countedRows(query);
  const since =
    query.receivedFrom === null ? "" : "received_at >= fromUnixTimestamp64Milli({received_from: Int64}) AND ";
  return {
    table: query.receivedFrom === null ? "analysis" : "raw_events",
    sql: `${since}received_at < fromUnixTimestamp64Milli({received_until: Int64})
      AND occurred_at >= fromUnixTimestamp64Milli({occurred_from: Int64}) AND ${counted}
      AND (type != 'exposure' OR (${IS_ELIGIBLE}))
      AND coalesce(marked_test, 0) = 0 AND NOT startsWith(user_id, {test_prefix: String})`,
    params: {
      ...params,
      ...(query.receivedFrom !== null && { received_from: query.receivedFrom }),
      ...{ received_until: query.receivedUntil, occurred_from: query.occurredFrom },
      test_prefix: TEST_USER_PREFIX,
    },
  };
}

interface SumsParts {
  readonly query: GuardQuery;
  readonly used: QueryColumns;
  readonly where: SelectedEvents;
  readonly hasCopies: boolean;
}

function sumsQuery({ query, used, where, hasCopies: isFinal }: SumsParts): BoundQuery {
  const { arms, owners, prices, experimentId, unit } = query;
  const ofMetrics = used.ofMetrics.flatMap(({ metric, source: i }) =>
    // Metrics of calls average over received calls. All others are per exposure, so weights replace events that a sampler dropped.
    metric.source.event === "model_call"
      ? [`sum(v${i})`, `count(v${i})`]
      : [`sum(weight * v${i})`, `sumIf(weight, isNotNull(v${i}))`],
  );
  const sums = [...GUARD_COLUMNS.map((column) => SUMS[column]), ...ofMetrics];
  return {
    sql: `SELECT arm, group, ${sums.map((sum) => `toFloat64(ifNull(${sum}, 0))`).join(", ")}
      FROM (
        SELECT if(variant != '', variant, ${owners === null ? "''" : ownerSql(unit)}) AS arm,
          toUInt16(murmurHash3_32(user_id) % ${GUARD_GROUPS}) AS group, type, latency_ms, ${MARKED.completed},
          ${MARKED.missingUsage} AS missing_usage, ${MARKED.truncated} AS truncated,
          if(completed, ${callCostSql(prices)}, NULL) AS cost, ${WEIGHT} AS weight ${eventValuesSql(used)}
        FROM ${where.table} ${isFinal ? "FINAL" : ""} WHERE ${where.sql}
      )
      WHERE arm IN {arms: Array(String)} GROUP BY arm, group`,
    params: {
      ...{ ...where.params, ...priceParams(prices), ...columnParams(used), arms },
      ...(owners !== null && {
        owners: owners.variants,
        bucket_ends: owners.ends.slice(0, -1),
        bucket_prefix: `${owners.salt}:${experimentId}:`,
        bucket_count: owners.bucketCount,
      }),
    },
  };
}
