import { type AnalysisQuery, TEST_USER_PREFIX } from "@assay/domain";
import type { BoundQuery } from "../engine/engine-client.ts";
import { type CountedRows, countedRows, EVENT_KEY, EXPOSURE_ORDER, IS_ELIGIBLE } from "../sql/conditions.ts";
import { eventValuesSql } from "./event-values-sql.ts";
import { columnParams, type QueryColumns } from "./metric-columns.ts";
import { HASH, ofPartSql, type Part } from "./parts.ts";

/** What an outcome is told by, as a bit of its number in `kinds`. */
export const KIND = { repeated: 1, conflicting: 2, call: 4 } as const;
/** What a user is told by, as a bit of `flags`. */
export const FLAG = { exposed: 1, test: 2, contaminated: 4 } as const;

/**
 * Builds the single pass over an experiment's analysis log: a row per user, with the hash, the first exposure
 * and all outcomes in any order (`user-reader.ts` reads it). Nothing is added up here, so the query is flat: planning one takes the
 * engine longer than reading a small experiment. Names in the SQL contain only indexes; every value is bound.
 */
export function usersQuery(
  query: AnalysisQuery,
  { used, part }: { readonly used: QueryColumns; readonly part: Part },
): BoundQuery {
  const rows = countedRows(query);
  return {
    sql: usersSql(used, { rows, part, withUserIds: query.sample?.withUserIds === true }),
    params: {
      ...rows.params,
      until: query.until,
      test_prefix: TEST_USER_PREFIX,
      ...columnParams(used),
    },
  };
}

interface UsersParts {
  readonly rows: CountedRows;
  readonly part: Part;
  readonly withUserIds: boolean;
}

/**
 * The first exposure is the earliest; ties go to the lesser event id. Without FINAL, which would copy every column row by row: the rows
 * of a redelivered event are equal and have one key.
 */
function usersSql(used: QueryColumns, { rows, part, withUserIds }: UsersParts): string {
  const each = (sql: (index: number) => string) =>
    used.sources.map(({ index }) => `, ${sql(index)}`).join("");
  return `
    SELECT ${HASH} AS hash, ${withUserIds ? "user_id" : "'' AS id"}, toString(first.1) AS arm, t0,
      toUInt8(exposed + ${FLAG.test} * (first.2 OR startsWith(user_id, {test_prefix: String})) + ${FLAG.contaminated} * contaminated) AS flags,
      arrayMap((nth, v, is_call) -> toUInt8((nth > 1) + ${KIND.conflicting} * (v != cityHash64('') AND v != cityHash64(first.1)) + ${KIND.call} * is_call),
        arrayEnumerateUniq(keys), variants, calls) AS kinds, ats ${each((i) => `v${i}`)}
    FROM (
      SELECT user_id, countIf(is_exposure) > 0 AS exposed, toFloat64(minIf(at, is_exposure)) AS t0,
        argMinIf((variant, is_test), ${EXPOSURE_ORDER}, is_exposure) AS first,
        minIf(variant, is_exposure) != maxIf(variant, is_exposure) AS contaminated,
        groupArrayIf(${EVENT_KEY}, is_outcome) AS keys, groupArrayIf(toFloat64(at), is_outcome) AS ats,
        groupArrayIf(cityHash64(variant), is_outcome) AS variants, groupArrayIf(type = 'model_call', is_outcome) AS calls
        ${each((i) => `groupArrayIf(ifNull(v${i}, nan), is_outcome) AS v${i}`)}
      FROM (
        SELECT *, ${IS_ELIGIBLE} AS is_exposure, coalesce(marked_test, 0) = 1 AS is_test,
          type != 'exposure' AND NOT is_test AS is_outcome, toUnixTimestamp64Milli(occurred_at) AS at
          ${eventValuesSql(used)}
        FROM analysis
        WHERE ${rows.counted} AND occurred_at < fromUnixTimestamp64Milli({until: Int64}) AND ${ofPartSql(part)}
      )
      GROUP BY user_id
    )`;
}
