import { type AnalysisQuery, DAY_MS, type SampleQuery, TEST_USER_PREFIX } from "@assay/domain";
import type { BoundQuery } from "../engine/engine-client.ts";
import type { EventEngine } from "../engine/event-engine.ts";
import { type CountedRows, countedRows, EXPOSURE_ORDER, IS_ELIGIBLE } from "../sql/conditions.ts";
import { covariatesSql } from "./covariate-sql.ts";
import { columnParams, type MetricColumns, type QueryColumns } from "./metric-columns.ts";
import { finalSumsSql, groupSumsSql, pooledCapSql } from "./metric-sums.ts";
import { hasCovariate, hasVector, recordSql, sampleSql } from "./sample-record.ts";
import { eventValuesSql, userValuesSql } from "./user-values-sql.ts";
import { usersByDaySql } from "./users-by-day.ts";

/** Position (from 1) of the first source value in an outcome, after its instant and its variant. */
const FIRST_VALUE = 3;
const HEAVY_CALLS_PER_DAY = 1_000;

/**
 * Builds the single pass over an experiment's analysis log. It returns a row per shard, arm and period, in no order, with
 * the exposures, the dropped outcomes, the sampled users' records and a tuple of sums per metric (`arm-snapshot.ts` reads
 * them). Users without an exposure form the row of arm ''. Names in the SQL contain only indexes; every value is bound.
 *
 * One thread reads and groups in the order of the table's key (`IN_KEY_ORDER`). So floating-point sums add up in the same
 * order whatever parts the table has, and a rerun gives the same bits.
 */
export function armQuery(
  engine: Pick<EventEngine, "perShard" | "everywhere">,
  query: AnalysisQuery,
  used: QueryColumns,
): BoundQuery {
  const { columns } = used;
  const rows = countedRows(query);
  const asked = query.sample;
  const sample = asked !== null && columns.some(({ metric }) => hasVector(metric, asked)) ? asked : null;
  return {
    sql: `
      SELECT shard, arm, period, users, test_users, contaminated_users, heavy_users, first_at, users_by_day,
        outcomes, dropped_pre_exposure, variant_conflicts, sample ${each(columns, (own) => `, ${finalSumsSql(own)}`)}
      FROM (
        SELECT * ${each(columns, pooledCapSql)}
        FROM ${engine.perShard(`
          SELECT shardNum() AS shard, arm, period, countIf(exposed) AS users, countIf(exposed AND test) AS test_users,
            countIf(exposed AND contaminated) AS contaminated_users, countIf(exposed AND heavy) AS heavy_users,
            minIf(t0, exposed) AS first_at,
            ${usersByDaySql("t0", "exposed")} AS users_by_day,
            sum(length(attributed)) AS outcomes, sum(user_dropped_pre_exposure) AS dropped_pre_exposure,
            sum(user_variant_conflicts) AS variant_conflicts,
            ${sample === null ? "''" : sampleSql()} AS sample
            ${each(columns, (own) => `, ${groupSumsSql(own)}`)}
          FROM (${usersSql(used, { sample, rows, engine })})
          GROUP BY arm, period`)}
      )`,
    params: {
      ...rows.params,
      until: query.until,
      period_starts: query.periodStarts,
      test_prefix: TEST_USER_PREFIX,
      ...(sample !== null && {
        max_users: sample.maxUsersPerArm,
        pre_ms: Math.round(sample.preDays * DAY_MS),
      }),
      ...columnParams(used),
    },
  };
}

interface UsersParts {
  readonly sample: SampleQuery | null;
  readonly rows: CountedRows;
  readonly engine: Pick<EventEngine, "everywhere">;
}

/** One row per user: which outcomes count, in which arm and period, and the metrics' columns. */
function usersSql({ columns, sources }: QueryColumns, { sample, rows, engine }: UsersParts): string {
  const takenBefore = sources.filter(({ index }) =>
    columns.some(({ metric, source }) => source === index && hasCovariate(metric)),
  );
  const joinsPast = sample !== null && takenBefore.length > 0;
  return `
    SELECT *, exposed AND NOT test AND NOT contaminated AS sampled,
      arrayCount(s -> s <= t0, {period_starts: Array(Int64)}) AS period,
      arrayFilter(o -> o.1 >= t0 AND (o.2 = '' OR o.2 = arm), if(sampled, user_outcomes, [])) AS attributed,
      if(test OR contaminated, 0,
        if(exposed, arrayCount(o -> o.1 < t0, user_outcomes), length(user_outcomes))) AS user_dropped_pre_exposure,
      if(sampled, arrayCount(o -> o.1 >= t0 AND o.2 != '' AND o.2 != arm, user_outcomes), 0)
        AS user_variant_conflicts
      ${each(columns, (own) => `, ${attributedValuesSql(own)}`)}
      ${sample === null ? "" : `, ${recordSql(columns, sample)}`}
    FROM (${firstExposuresSql(sources, rows)}) AS users
    ${joinsPast ? `LEFT JOIN (${covariatesSql(engine, takenBefore, rows)}) AS past USING (user_id)` : ""}`;
}

/** The first exposure (ties go to the lesser event id) and all outcomes of each user. */
function firstExposuresSql(sources: QueryColumns["sources"], rows: CountedRows): string {
  const calls = "type = 'model_call'";
  return `
    SELECT user_id,
      countIf(is_exposure) > 0 AS exposed,
      startsWith(user_id, {test_prefix: String}) OR argMinIf(is_test, ${EXPOSURE_ORDER}, is_exposure) AS test,
      minIf(variant, is_exposure) != maxIf(variant, is_exposure) AS contaminated,
      minIf(at, is_exposure) AS t0,
      argMinIf(variant, ${EXPOSURE_ORDER}, is_exposure) AS arm,
      countIf(${calls}) / greatest(1, (maxIf(at, ${calls}) - minIf(at, ${calls})) / ${DAY_MS})
        > ${HEAVY_CALLS_PER_DAY} AS heavy,
      groupArrayIf((at, variant ${each(sources, ({ index }) => `, v${index}`)}), type != 'exposure' AND NOT is_test) AS user_outcomes
    FROM (
      SELECT org_id, experiment_id, user_id, event_id, occurred_at, type, toString(variant) AS variant,
        ${IS_ELIGIBLE} AS is_exposure, coalesce(marked_test, 0) = 1 AS is_test,
        toUnixTimestamp64Milli(occurred_at) AS at
        ${eventValuesSql(sources)}
      FROM analysis FINAL
      WHERE ${rows.counted}
        AND occurred_at < fromUnixTimestamp64Milli({until: Int64})
    )
    GROUP BY org_id, experiment_id, user_id`;
}

/** A metric's columns from the attributed outcomes in its window. The sample has only users whose window is over. */
function attributedValuesSql(own: MetricColumns): string {
  const value = `o.${FIRST_VALUE + own.source}`;
  const hasWindow = own.metric.windowDays !== null;
  const end = `t0 + {window_${own.index}: Int64}`;
  return userValuesSql(own, {
    values: `arrayMap(o -> assumeNotNull(${value}),
      arrayFilter(o -> isNotNull(${value})${hasWindow ? ` AND o.1 < ${end}` : ""}, attributed))`,
    isSampled: `sampled${hasWindow ? ` AND ${end} <= {until: Int64}` : ""}`,
  });
}

function each<T>(items: readonly T[], sql: (item: T) => string): string {
  return items.map((item) => sql(item)).join("");
}
