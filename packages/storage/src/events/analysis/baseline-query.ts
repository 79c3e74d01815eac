import {
  type Baseline,
  type BaselineQuery,
  type ExperimentExclusions,
  TEST_USER_PREFIX,
} from "@assay/domain";
import type { BoundQuery } from "../engine/engine-client.ts";
import type { EventEngine } from "../engine/event-engine.ts";
import { notExcludedSql } from "../sql/exclusions.ts";
import { IN_KEY_ORDER } from "./key-order.ts";
import { addCounts } from "./merge-sums.ts";
import { columnParams, type MetricColumns, type QueryColumns, queryColumns } from "./metric-columns.ts";
import { finalSumsSql, type GroupSums, groupSumsSql, sumsOf, toMetricSums } from "./metric-sums.ts";
import { eventValuesSql, userValuesSql } from "./user-values-sql.ts";
import { type DayCounts, toUsersByDay, usersByDaySql } from "./users-by-day.ts";

type BaselineRow = readonly [shard: number, usersByDay: DayCounts, ...sums: GroupSums];

/** Most exclusions of an org that a query carries. A baseline is an estimate, and an experiment has at most a hundred. */
const MAX_EXCLUSIONS = 200;

/** Loads metric statistics of an org's users in a window. */
export async function loadBaseline(engine: EventEngine, query: BaselineQuery): Promise<Baseline> {
  const used = queryColumns(query);
  const { sql, params } = baselineQuery(engine, query, used);
  const rows = await engine.rows<BaselineRow>(sql, params, IN_KEY_ORDER);
  // Sorted by shard, so that floating-point sums always add up in the same order.
  const shards = rows.sort(([shard], [other]) => shard - other).map(([, ...row]) => row);
  return {
    metrics: query.metrics.flatMap(({ name }, i) => {
      const column = used.ofMetrics[i] as MetricColumns;
      const own = shards.map(([, ...sums]) => sumsOf(column, sums));
      const read = own.every(([, values]) => values === 0) ? null : toMetricSums(column.metric, own);
      return read === null ? [] : [{ metric: name, ...read }];
    }),
    usersByDay: shards.map(([usersByDay]) => toUsersByDay(usersByDay)).reduce(addCounts, new Map()),
  };
}

/** Builds one row per shard with the aggregates of all the org's users there, as for an arm. */
function baselineQuery(
  { perShard }: Pick<EventEngine, "perShard">,
  query: BaselineQuery,
  used: QueryColumns,
): BoundQuery {
  const kept = notExcludedSql(singly(query.exclusions).slice(0, MAX_EXCLUSIONS));
  return {
    sql: finalSumsSql(
      used,
      "shard, users_by_day",
      perShard(`
        SELECT shardNum() AS shard, ${usersByDaySql("first_at")} AS users_by_day ${groupSumsSql(used)}
        FROM (
          SELECT first_at ${used.columns.length === 0 ? "" : `, ${userValuesSql(used, () => "1")}`}
          FROM (${usersSql(used, kept.sql)})
        )`),
    ),
    params: {
      ...kept.params,
      org_id: query.orgId,
      from: query.from,
      until: query.until,
      test_prefix: TEST_USER_PREFIX,
      except: query.exceptExperimentIds ?? [],
      ...columnParams(used),
    },
  };
}

function singly(exclusions: readonly ExperimentExclusions[]): readonly ExperimentExclusions[] {
  return exclusions.flatMap(({ experimentId, matches }) =>
    matches.map((match) => ({ experimentId, matches: [match] })),
  );
}

/** One row per user: the first event, and the values in each window, which starts with the query's. */
function usersSql({ values, sources }: QueryColumns, notExcluded: string): string {
  const seen = values.map(({ windowDays, index, source }) => {
    const inWindow = windowDays === null ? "" : ` AND at < {from: Int64} + {window_${index}: Int64}`;
    return `, groupArrayIf(assumeNotNull(v${source}), isNotNull(v${source})${inWindow}) AS values${index}`;
  });
  return `
    SELECT user_id, min(at) AS first_at ${seen.join("")}
    FROM (
      SELECT user_id, toUnixTimestamp64Milli(occurred_at) AS at ${eventValuesSql(sources)}
      FROM analysis FINAL
      WHERE org_id = {org_id: String} AND NOT has({except: Array(String)}, experiment_id)
        AND NOT startsWith(user_id, {test_prefix: String})${notExcluded}
        AND occurred_at >= fromUnixTimestamp64Milli({from: Int64})
        AND occurred_at < fromUnixTimestamp64Milli({until: Int64})
    )
    GROUP BY user_id`;
}
