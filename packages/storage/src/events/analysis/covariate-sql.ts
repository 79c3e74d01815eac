import type { EventEngine } from "../engine/event-engine.ts";
import { type CountedRows, EVENT_KEY, IS_EXPOSURE, NOT_SUPERSEDED } from "../sql/conditions.ts";
import type { SourceColumn } from "./metric-columns.ts";
import { eventValuesSql, isOfSourceSql } from "./user-values-sql.ts";

/**
 * Writes one row per exposed user with outcomes in the days before the first exposure, over all the org's experiments:
 * `pre_sum0` (NULL: no value) and `pre_count0` of source 0, and so on. As in the arm query, there is no FINAL: an event that
 * was delivered again counts once by its key, and sorted values add up to the same bits in any order.
 *
 * The set of users only reduces what is read, so it may have users whose exposures an exclusion takes out. It comes first,
 * because the rows of a user are neighbours: it leaves the other columns of most granules unread.
 */
export function covariatesSql(
  { everywhere }: Pick<EventEngine, "everywhere">,
  sources: readonly SourceColumn[],
  rows: CountedRows,
): string {
  const sums = sources.map(
    ({ index: i }) => `,
      arraySort(arrayFilter((v, nth) -> nth = 1 AND NOT isNaN(v), vs${i}, nths)) AS pre_values${i},
      length(pre_values${i}) AS pre_count${i}, if(pre_count${i} = 0, NULL, arraySum(pre_values${i})) AS pre_sum${i}`,
  );
  const arrays = sources.map(({ index: i }) => `, groupArray(ifNull(v${i}, nan)) AS vs${i}`).join("");
  const isOfAny = sources.map((source) => `(${isOfSourceSql(source)})`).join(" OR ");
  return `
    SELECT user_id${sums.join("")}
    FROM (
      SELECT user_id, arrayEnumerateUniq(groupArray(key)) AS nths${arrays}
      FROM (
        SELECT user_id, ${EVENT_KEY} AS key ${eventValuesSql(sources)}
        FROM analysis
        INNER JOIN (
          SELECT user_id, min(occurred_at) AS t0 FROM analysis WHERE ${rows.isExposure} GROUP BY user_id
        ) AS first_exposures USING (user_id)
        PREWHERE user_id IN (SELECT user_id FROM analysis WHERE ${IS_EXPOSURE})
          AND occurred_at < fromUnixTimestamp64Milli({until: Int64})
          AND occurred_at >= (SELECT min(occurred_at) - ${PRE_INTERVAL} FROM ${everywhere("analysis")} WHERE ${IS_EXPOSURE})
          AND (${isOfAny})
        WHERE org_id = {org_id: String} AND ${NOT_SUPERSEDED}${rows.notExcluded}
          AND occurred_at < t0 AND occurred_at >= t0 - ${PRE_INTERVAL}
      )
      GROUP BY user_id
    )`;
}

const PRE_INTERVAL = "toIntervalMillisecond({pre_ms: Int64})";
