import { type AnalysisQuery, TEST_USER_PREFIX } from "@assay/domain";
import type { BoundQuery } from "../engine/engine-client.ts";
import { countedRows, EVENT_KEY, EXPOSURE_ORDER, IS_ELIGIBLE, IS_HELD_BACK } from "../sql/conditions.ts";
import type { SelectedEvents } from "../sql/selected-events.ts";
import { FLAG, KIND } from "../units/user-row.ts";
import { eventValuesSql } from "./event-values-sql.ts";
import { columnParams, type QueryColumns } from "./metric-columns.ts";
import { HASH } from "./parts.ts";

/** What `usersQuery` needs besides the analysis's. */
export interface UsersParts {
  readonly used: QueryColumns;
  /** The events that are read. */
  readonly where: SelectedEvents;
  /** When set, events that were received from then on (epoch milliseconds) are a row of their own, after the user's others. */
  readonly openFrom: number | null;
}

/**
 * Builds a pass over an experiment's analysis log: a row per user, with the hash, the first exposure and all outcomes in any order
 * (`userRowReader` reads it). Nothing is added up here, so the query is flat: planning one takes the engine longer than reading a small
 * experiment. Names in the SQL contain only indexes; every value is bound.
 */
export function usersQuery(query: AnalysisQuery, { used, where, openFrom }: UsersParts): BoundQuery {
  const { counted, params } = countedRows(query);
  const withUserIds = query.sample?.withUserIds === true;
  return {
    sql: usersSql(used, {
      from: `${where.table} WHERE ${counted} AND ${where.sql}`,
      isExposure: query.exposures === "holdback" ? IS_HELD_BACK : IS_ELIGIBLE,
      ...{ isSplit: openFrom !== null, withUserIds },
    }),
    params: {
      ...{ ...params, ...where.params, until: query.until, test_prefix: TEST_USER_PREFIX },
      ...(openFrom !== null && { open_from: openFrom }),
      ...columnParams(used),
    },
  };
}

interface UsersSql {
  readonly from: string;
  readonly isExposure: string;
  readonly isSplit: boolean;
  readonly withUserIds: boolean;
}

/**
 * The first exposure is the earliest; ties go to the lesser event id. Without FINAL, which would copy every column row by row: the rows
 * of a redelivered event are equal and have one key. A hash of a variant is a whole number that a double holds.
 */
function usersSql(used: QueryColumns, { from, isExposure, isSplit, withUserIds }: UsersSql): string {
  const each = (sql: (index: number) => string) =>
    used.sources.map(({ index }) => `, ${sql(index)}`).join("");
  const keyOf = (variant: string) => `toFloat64(bitAnd(cityHash64(${variant}), ${2 ** 52 - 1}))`;
  return `
    SELECT ${HASH} AS hash, ${withUserIds ? "user_id" : "'' AS id"},
      toUInt8(${FLAG.exposed} * exposed + ${FLAG.test} * first.3 + ${FLAG.testUser} * startsWith(user_id, {test_prefix: String})
        + ${FLAG.contaminated} * contaminated + ${FLAG.open} * is_open) AS flags,
      t0, first.1, toString(first.2) AS arm, ${keyOf("arm")} AS arm_key,
      arrayMap((nth, is_named, is_call) -> toUInt8((nth > 1) + ${KIND.named} * is_named + ${KIND.call} * is_call),
        arrayEnumerateUniq(keys), named, calls) AS kinds, variant_keys, ats ${each((i) => `v${i}`)}
    FROM (
      SELECT user_id, ${isSplit ? "received_at >= fromUnixTimestamp64Milli({open_from: Int64})" : "0"} AS is_open,
        countIf(is_exposure) > 0 AS exposed, toFloat64(minIf(at, is_exposure)) AS t0,
        argMinIf((event_id, variant, is_test), ${EXPOSURE_ORDER}, is_exposure) AS first,
        minIf(variant, is_exposure) != maxIf(variant, is_exposure) AS contaminated,
        groupArrayIf(${EVENT_KEY}, is_outcome) AS keys, groupArrayIf(toFloat64(at), is_outcome) AS ats,
        groupArrayIf(variant != '', is_outcome) AS named, groupArrayIf(${keyOf("variant")}, is_outcome) AS variant_keys,
        groupArrayIf(type = 'model_call', is_outcome) AS calls
        ${each((i) => `groupArrayIf(ifNull(v${i}, nan), is_outcome) AS v${i}`)}
      FROM (
        SELECT *, ${isExposure} AS is_exposure, coalesce(marked_test, 0) = 1 AS is_test,
          type != 'exposure' AND NOT is_test AS is_outcome, toUnixTimestamp64Milli(occurred_at) AS at
          ${eventValuesSql(used)}
        FROM ${from} AND occurred_at < fromUnixTimestamp64Milli({until: Int64})
      )
      GROUP BY user_id, is_open
    )`;
}
