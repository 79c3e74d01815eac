import { type AnalysisQuery, DAY_MS, type SampleQuery, TEST_USER_PREFIX } from "@assay/domain";
import type { BoundQuery } from "../engine/engine-client.ts";
import type { EventEngine } from "../engine/event-engine.ts";
import { type CountedRows, countedRows, EVENT_KEY, EXPOSURE_ORDER, IS_ELIGIBLE } from "../sql/conditions.ts";
import { type FoldedDays, foldedParams } from "../units/unit-days.ts";
import { covariateSources, covariatesSql } from "./covariate-sql.ts";
import { columnParams, type MetricColumns, type QueryColumns, type ValuesColumn } from "./metric-columns.ts";
import { finalSumsSql, groupSumsSql } from "./metric-sums.ts";
import { hasVector, recordSql, sampleSql } from "./sample-record.ts";
import { eventValuesSql, userValuesSql } from "./user-values-sql.ts";
import { usersByDaySql } from "./users-by-day.ts";

const HEAVY_CALLS_PER_DAY = 1_000;

/**
 * Builds the single pass over an experiment's analysis log. It returns a row per shard, arm and period, in no order, with
 * the exposures, the dropped outcomes, the sampled users' records and a tuple of sums per metric (`arm-snapshot.ts` reads
 * them). Users without an exposure form the row of arm ''. Names in the SQL contain only indexes; every value is bound.
 *
 * Whatever parts the table has, a rerun gives the same bits: a user's values are sorted before they are added, and users are
 * sorted before theirs are. One thread groups in the order of the table's key (`IN_KEY_ORDER`), a user at a time.
 */
export function armQuery(
  engine: Pick<EventEngine, "perShard" | "everywhere">,
  query: AnalysisQuery,
  { used, folded }: { readonly used: QueryColumns; readonly folded: FoldedDays | null },
): BoundQuery {
  const { columns } = used;
  const rows = countedRows(query);
  const asked = query.sample;
  const sample = asked !== null && columns.some(({ metric }) => hasVector(metric, asked)) ? asked : null;
  return {
    sql: finalSumsSql(
      used,
      `shard, arm, period, users, test_users, contaminated_users, heavy_users, first_at, users_by_day,
        outcomes, dropped_pre_exposure, variant_conflicts, sample`,
      engine.perShard(`
        SELECT shardNum() AS shard, arm, period, countIf(exposed) AS users, countIf(exposed AND test) AS test_users,
          countIf(exposed AND contaminated) AS contaminated_users, countIf(exposed AND heavy) AS heavy_users,
          minIf(t0, exposed) AS first_at,
          ${usersByDaySql("t0", "exposed")} AS users_by_day,
          sum(outcomes) AS outcomes, sum(dropped_pre_exposure) AS dropped_pre_exposure,
          sum(variant_conflicts) AS variant_conflicts,
          ${sample === null ? "''" : sampleSql()} AS sample
          ${groupSumsSql(used)}
        FROM (${usersSql(used, { sample, rows, engine })})
        GROUP BY arm, period`),
    ),
    params: {
      ...rows.params,
      until: query.until,
      period_starts: query.periodStarts,
      test_prefix: TEST_USER_PREFIX,
      ...(sample !== null && {
        max_users: sample.maxUsersPerArm,
        pre_days: sample.preDays,
        ...(folded !== null && foldedParams(folded)),
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

/** One row per user: the arm and period, and the metrics' arrays. In the order of the table's key. */
function usersSql(used: QueryColumns, { sample, rows, engine }: UsersParts): string {
  const takenBefore = sample === null ? [] : covariateSources(used);
  const past =
    takenBefore.length === 0
      ? ""
      : `LEFT JOIN (${covariatesSql(engine, takenBefore, rows)}) AS past USING (user_id)`;
  return `
    SELECT ${USER_COLUMNS} ${used.columns.length === 0 ? "" : `, ${userValuesSql(used, isSampledSql)}`}
      ${sample === null ? "" : `, ${recordSql(used, sample)}`}
    FROM (${outcomesSql(used, rows)}) AS users
    ${past}
    ORDER BY user_id`;
}

const USER_COLUMNS =
  "user_id, exposed, test, contaminated, heavy, sampled, t0, arm, period, outcomes, dropped_pre_exposure, variant_conflicts";

/** A sample has only users whose window is over. */
function isSampledSql({ metric, values }: MetricColumns): string {
  return metric.windowDays === null
    ? "sampled"
    : `sampled AND t0 + {window_${values}: Int64} <= {until: Int64}`;
}

/** What becomes of an outcome: a repeated delivery, one before the first exposure, of a user out of the sample, of another arm. */
const FATE = { repeated: 0, early: 1, unsampled: 2, conflicting: 3, attributed: 4 } as const;

/** One row per user: the values in each window, and what became of the outcomes. */
function outcomesSql({ sources, values }: QueryColumns, rows: CountedRows): string {
  const seen = each(sources, ({ index }) => `, v${index}`);
  const count = (fate: keyof typeof FATE) => `countEqual(fates, ${FATE[fate]})`;
  return `
    SELECT user_id, exposed, test, contaminated, sampled, t0, arm ${each(values, attributedValuesSql)},
      arrayCount(s -> s <= t0, {period_starts: Array(Int64)}) AS period,
      arrayCount((c, f) -> c AND f != ${FATE.repeated}, calls, fates)
        / greatest(1, (last_call_at - first_call_at) / ${DAY_MS}) > ${HEAVY_CALLS_PER_DAY} AS heavy,
      ${count("attributed")} AS outcomes, ${count("conflicting")} AS variant_conflicts,
      if(test OR contaminated, 0, ${count("early")}) AS dropped_pre_exposure
    FROM (
      SELECT user_id, exposed, test, contaminated, t0, arm, first_call_at, last_call_at, calls, ats ${seen},
        exposed AND NOT test AND NOT contaminated AS sampled,
        arrayMap((nth, at, v) -> multiIf(nth > 1, ${FATE.repeated}, at < t0 OR NOT exposed, ${FATE.early},
            NOT sampled, ${FATE.unsampled}, v != cityHash64('') AND v != cityHash64(arm), ${FATE.conflicting},
            ${FATE.attributed}),
          arrayEnumerateUniq(keys), ats, variants) AS fates
      FROM (${firstExposuresSql(sources, rows)})
    )`;
}

/**
 * The first exposure (ties go to the lesser event id) and all outcomes of each user, in any order. Without FINAL, which
 * would copy every column row by row: the rows of a redelivered event are equal and have one key.
 */
function firstExposuresSql(sources: QueryColumns["sources"], rows: CountedRows): string {
  return `
    SELECT user_id,
      countIf(is_exposure) > 0 AS exposed,
      startsWith(user_id, {test_prefix: String}) OR argMinIf(is_test, ${EXPOSURE_ORDER}, is_exposure) AS test,
      minIf(variant, is_exposure) != maxIf(variant, is_exposure) AS contaminated,
      minIf(at, is_exposure) AS t0,
      argMinIf(variant, ${EXPOSURE_ORDER}, is_exposure) AS arm,
      minIf(at, is_call) AS first_call_at, maxIf(at, is_call) AS last_call_at,
      groupArrayIf(${EVENT_KEY}, is_outcome) AS keys, groupArrayIf(at, is_outcome) AS ats,
      groupArrayIf(cityHash64(variant), is_outcome) AS variants, groupArrayIf(is_call, is_outcome) AS calls
      ${each(sources, ({ index }) => `, groupArrayIf(ifNull(v${index}, nan), is_outcome) AS v${index}`)}
    FROM (
      SELECT org_id, experiment_id, user_id, event_id, occurred_at, variant,
        ${IS_ELIGIBLE} AS is_exposure, coalesce(marked_test, 0) = 1 AS is_test,
        type != 'exposure' AND NOT is_test AS is_outcome, type = 'model_call' AS is_call,
        toUnixTimestamp64Milli(occurred_at) AS at
        ${eventValuesSql(sources)}
      FROM analysis
      WHERE ${rows.counted}
        AND occurred_at < fromUnixTimestamp64Milli({until: Int64})
    )
    GROUP BY org_id, experiment_id, user_id`;
}

/**
 * The values of the attributed outcomes in a window. Sorted, they add up to the same bits in whatever order the parts of the table
 * give them.
 */
function attributedValuesSql({ source, windowDays, index }: ValuesColumn): string {
  const isIn = `f = ${FATE.attributed} AND NOT isNaN(v)${windowDays === null ? "" : ` AND at < t0 + {window_${index}: Int64}`}`;
  return `, arraySort(arrayFilter((v, f, at) -> ${isIn}, v${source}, fates, ats)) AS values${index}`;
}

function each<T>(items: readonly T[], sql: (item: T) => string): string {
  return items.map((item) => sql(item)).join("");
}
