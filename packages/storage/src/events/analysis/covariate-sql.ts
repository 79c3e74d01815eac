import type { EventEngine } from "../engine/event-engine.ts";
import { type CountedRows, IS_EXPOSURE } from "../sql/conditions.ts";
import type { SourceColumn } from "./metric-columns.ts";
import { eventValuesSql, isOfSourceSql } from "./user-values-sql.ts";

/**
 * Writes one row per exposed user with outcomes in the days before the first exposure, over all the org's experiments:
 * `pre_sum0` (NULL: no value) and `pre_count0` of source 0, and so on. Events stream past tables with one row per user,
 * so memory does not grow with the number of events.
 *
 * FINAL only merges equal rows of one event, so a filter on events (PREWHERE) may run before it. The set of users only
 * reduces what is read, so it may have users whose exposures an exclusion takes out.
 */
export function covariatesSql(
  { everywhere }: Pick<EventEngine, "everywhere">,
  sources: readonly SourceColumn[],
  rows: CountedRows,
): string {
  const sums = sources.map(({ index: i }) => `, sum(v${i}) AS pre_sum${i}, count(v${i}) AS pre_count${i}`);
  const isOfAny = sources.map((source) => `(${isOfSourceSql(source)})`).join(" OR ");
  return `
    SELECT user_id${sums.join("")}
    FROM (
      SELECT user_id, occurred_at ${eventValuesSql(sources)}
      FROM analysis FINAL
      PREWHERE occurred_at < fromUnixTimestamp64Milli({until: Int64})
        AND occurred_at >= (SELECT min(occurred_at) - ${PRE_INTERVAL} FROM ${everywhere("analysis")} WHERE ${IS_EXPOSURE})
        AND (${isOfAny}) AND user_id IN (SELECT user_id FROM analysis WHERE ${IS_EXPOSURE})
      WHERE org_id = {org_id: String}${rows.notExcluded}
    ) AS outcomes
    INNER JOIN (
      SELECT user_id, min(occurred_at) AS t0 FROM analysis WHERE ${rows.isExposure} GROUP BY user_id
    ) AS first_exposures USING (user_id)
    WHERE occurred_at < t0 AND occurred_at >= t0 - ${PRE_INTERVAL}
    GROUP BY user_id`;
}

const PRE_INTERVAL = "toIntervalMillisecond({pre_ms: Int64})";
