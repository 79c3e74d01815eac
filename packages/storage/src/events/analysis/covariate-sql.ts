import type { EventEngine } from "../engine/event-engine.ts";
import { HAS_PRICE, tokenCostSql } from "../sql/call-cost-sql.ts";
import { type CountedRows, IS_EXPOSURE, NOT_SUPERSEDED } from "../sql/conditions.ts";
import { cellsSql, FOLDED_CELLS } from "../units/unit-days.ts";
import { isCost, type QueryColumns, type SourceColumn } from "./metric-columns.ts";
import { hasCovariate } from "./sample-record.ts";
import { isOfSourceSql } from "./user-values-sql.ts";

/** Returns the sources whose values from before the first exposure a sample includes. */
export function covariateSources({
  columns,
  sources,
}: Pick<QueryColumns, "columns" | "sources">): readonly SourceColumn[] {
  return sources.filter(({ index }) =>
    columns.some(({ metric, source }) => source === index && hasCovariate(metric)),
  );
}

/**
 * Writes one row per exposed user with outcomes in the days before the day of the first exposure, over all the org's experiments:
 * `pre_sum0` (NULL: no value) and `pre_count0` of source 0, and so on. It reads the cells of `unit_days`, or, where exclusions take
 * events of the experiment out, cells that it computes from what they leave of the log: the same bits if they take nothing out.
 *
 * A user's cells are sorted before they are added, so they may come in any order.
 */
export function covariatesSql(
  { everywhere }: Pick<EventEngine, "everywhere">,
  sources: readonly SourceColumn[],
  rows: CountedRows,
): string {
  const firstDay = `(SELECT toDate(min(occurred_at)) - {pre_days: UInt16} FROM ${everywhere("analysis")} WHERE ${IS_EXPOSURE})`;
  const cells =
    rows.notExcluded === ""
      ? `SELECT * FROM unit_days WHERE ${FOLDED_CELLS} AND day >= ${firstDay}`
      : cellsSql({
          where: `${NOT_SUPERSEDED}${rows.notExcluded} AND user_id IN (SELECT user_id FROM analysis WHERE ${IS_EXPOSURE})
            AND occurred_at >= ${firstDay} AND occurred_at < fromUnixTimestamp64Milli({until: Int64})`,
          onceEach: true,
        });
  const sums = sources.map(
    ({ index: i }) => `,
      sum(count${i}) AS pre_count${i},
      if(pre_count${i} = 0, NULL, arraySum(arraySort(groupArrayIf(sum${i}, count${i} > 0)))) AS pre_sum${i}`,
  );
  const isOfAny = sources.map((source) => `(${isOfSourceSql(source)})`).join(" OR ");
  return `
    SELECT user_id${sums.join("")}
    FROM (
      SELECT unit_id AS user_id, day ${sources.map(sourceSumsSql).join("")} FROM (${cells}) WHERE ${isOfAny}
    ) AS cells
    INNER JOIN (
      SELECT user_id, toDate(min(occurred_at)) AS first_day FROM analysis WHERE ${rows.isExposure} GROUP BY user_id
    ) AS first_exposures USING (user_id)
    WHERE day < first_day AND day >= first_day - {pre_days: UInt16}
    GROUP BY user_id`;
}

/** Writes a cell's sum and count of a source; without the price of its model, calls that report no cost have no value. */
function sourceSumsSql(column: SourceColumn): string {
  const { source, index: i } = column;
  const name = source.event === "model_call" ? source.field : "value";
  const [sum, count] = isCost(column)
    ? [
        `cost_usd_sum + ifNull(${TOKEN_COST}, 0)`,
        `cost_usd_count + if(${HAS_PRICE}, uncached_input_count, 0)`,
      ]
    : [`${name}_sum`, `${name}_count`];
  const isOfSource = isOfSourceSql(column);
  return `, if(${isOfSource}, ${sum}, 0) AS sum${i}, if(${isOfSource}, ${count}, 0) AS count${i}`;
}

const TOKEN_COST = tokenCostSql({
  uncached_input: "uncached_input_sum",
  cached_input: "cached_input_sum",
  cache_write_5m: "cache_write_5m_sum",
  cache_write_1h: "cache_write_1h_sum",
  audio_input: "audio_input_sum",
  audio_output: "audio_output_sum",
  answer_output: "answer_output_sum",
  reasoning_output: "reasoning_output_sum",
});
