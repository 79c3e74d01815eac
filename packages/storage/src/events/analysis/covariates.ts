import { type AnalysisQuery, DAY_MS, type Day, dayOf, startOfDay } from "@assay/domain";
import type { BoundQuery } from "../engine/engine-client.ts";
import type { RowBinaryReader } from "../engine/row-binary.ts";
import { hasPriceSql, tokenCostSql } from "../sql/call-cost-sql.ts";
import {
  type CountedRows,
  countedRows,
  EXPOSURE_ORDER,
  IS_EXPOSURE,
  NOT_SUPERSEDED,
  unitColumn,
} from "../sql/conditions.ts";
import type { UnitPast } from "../units/unit.ts";
import { cellsSql, FOLDED_CELLS, type FoldedDays, foldedParams, unitKeySql } from "../units/unit-days.ts";
import { isOfSourceSql } from "./event-values-sql.ts";
import { columnParams, isCost, type QueryColumns, type SourceColumn } from "./metric-columns.ts";
import { hasCovariate } from "./metric-totals.ts";
import { andOfPartSql, hashSql, type Part } from "./parts.ts";

/** Returns the sources whose values from before the first exposure a sample includes. */
export function covariateSources({
  columns,
  sources,
}: Pick<QueryColumns, "columns" | "sources">): readonly SourceColumn[] {
  return sources.filter(({ index }) =>
    columns.some(({ metric, source }) => source === index && hasCovariate(metric)),
  );
}

/** What a query of covariates needs besides the analysis's. */
export interface CovariateParts {
  readonly used: QueryColumns;
  readonly sources: readonly SourceColumn[];
  /** The days whose cells are up to date; null when the cells are computed, because exclusions take single events out. */
  readonly folded: FoldedDays | null;
  /** Whether ids of the org may be overruled. */
  readonly isOverruled: boolean;
  /** Whether the cost of any call in the org's log is told by its tokens; true if nobody looked. */
  readonly byTokens: boolean;
  readonly part: Part;
  /** Before all exposures of the experiment, epoch milliseconds. */
  readonly firstAt: number;
  /** Those of users who were first exposed on this day or later; those of users exposed before and again are of no use. */
  readonly exposedFrom: Day;
}

/**
 * Builds the query of what the units' users did in the days before the day of the first exposure, over all the org's experiments: a row per exposed
 * unit whose user did something (`covariateReader` reads it).
 */
export function covariatesQuery(
  query: AnalysisQuery,
  { used, sources, folded, isOverruled, byTokens, part, firstAt, exposedFrom }: CovariateParts,
): BoundQuery {
  const rows = countedRows(query, isOverruled);
  const preDays = query.sample?.preDays ?? 0;
  return {
    sql: covariatesSql({ query, sources, rows, isFolded: folded !== null, byTokens, part }),
    params: {
      ...rows.params,
      until: query.until,
      pre_days: preDays,
      exposed_from: exposedFrom,
      first_day: dayOf(Math.max(0, Math.max(firstAt, startOfDay(exposedFrom)) - preDays * DAY_MS)),
      ...(folded !== null && foldedParams(folded)),
      ...columnParams(used, byTokens && sources.some(isCost)),
    },
  };
}

/** Finds a user's covariates by the hash. */
export type CovariateReader = (hash: bigint) => UnitPast | null;

/** Reads the rows of `covariatesQuery`: users must be asked for in the order of their hashes. */
export function covariateReader(rows: RowBinaryReader, sources: readonly SourceColumn[]): CovariateReader {
  let found: { sums: number[]; counts: number[] } = { sums: [], counts: [] };
  let at: bigint | null = null;
  const next = () => {
    at = rows.isAtEnd() ? null : rows.uint64();
    if (at === null) return;
    found = { sums: [], counts: [] };
    for (const { index } of sources) {
      found.counts[index] = rows.float64();
      found.sums[index] = rows.float64();
    }
  };
  next();
  return (hash) => {
    while (at !== null && at < hash) next();
    return at === hash ? found : null;
  };
}

/**
 * Reads the cells of `unit_days`, or, where exclusions take single events of the experiment out, cells that it computes from what they leave of
 * the log: the same bits if they take nothing out. A user's cells are sorted before they are added, so they may come in any order.
 */
function covariatesSql({
  query: { unit, prices },
  sources,
  rows,
  isFolded,
  byTokens,
  part,
}: {
  readonly query: Pick<AnalysisQuery, "unit" | "prices">;
  readonly sources: readonly SourceColumn[];
  readonly rows: CountedRows;
  readonly isFolded: boolean;
  readonly byTokens: boolean;
  readonly part: Part;
}): string {
  const hash = hashSql(unit);
  // Of several users that name a conversation, the one who was exposed first.
  const user = unit === "user" ? "user_id" : `argMin(user_id, ${EXPOSURE_ORDER})`;
  const cells = isFolded
    ? "unit_days"
    : `(${cellsSql({
        table: "analysis",
        where: `${NOT_SUPERSEDED}${rows.notExcluded} AND user_id IN (SELECT user_id FROM analysis WHERE ${IS_EXPOSURE})
            AND occurred_at >= {first_day: Date} AND occurred_at < fromUnixTimestamp64Milli({until: Int64})`,
        onceEach: true,
        byTokens: byTokens && sources.some(isCost),
      })})`;
  const ofCells = isFolded ? `${FOLDED_CELLS} AND day >= {first_day: Date} AND` : "";
  const sums = sources.map((source) => sumsSql(source, byTokens ? prices : null));
  const isOfAny = [...new Set(sources.map((source) => `(${isOfSourceSql(source)})`))].join(" OR ");
  return `
    SELECT hash${sums.join("")}
    FROM ${cells} AS cells
    INNER JOIN (
      SELECT ${unitKeySql(user)} AS unit_key, ${hash} AS hash, toDate(min(occurred_at)) AS first_day FROM analysis
      WHERE ${rows.isExposure} AND occurred_at >= {exposed_from: Date}${andOfPartSql(part, hash)} GROUP BY ${unitColumn(unit)}
    ) AS first_exposures USING (unit_key)
    WHERE ${ofCells} day < first_day AND day >= first_day - {pre_days: UInt16} AND (${isOfAny})
    GROUP BY hash`;
}

/**
 * Writes a unit's count and sum of a source; without the price of its model, calls that report no cost have no value. `prices` are null where all
 * report theirs: to plan what tokens cost takes as long as all the rest.
 */
function sumsSql(column: SourceColumn, prices: QueryColumns["prices"] | null): string {
  const { source, index: i } = column;
  const name = source.event === "model_call" ? source.field : "value";
  const [sum, count] =
    prices !== null && isCost(column)
      ? [
          `cost_usd_sum + ifNull(${tokenCostSql(prices, TOKEN_SUMS)}, 0)`,
          `cost_usd_count + if(${hasPriceSql(prices)}, uncached_input_count, 0)`,
        ]
      : [`${name}_sum`, `${name}_count`];
  return `,
      toFloat64(sumIf((${count}) AS count${i}, (${isOfSourceSql(column)}) AS of${i})) AS pre_count${i},
      if(pre_count${i} = 0, nan, arraySum(arraySort(groupArrayIf(${sum}, of${i} AND count${i} > 0)))) AS pre_sum${i}`;
}

const TOKEN_SUMS = {
  uncached_input: "uncached_input_sum",
  cached_input: "cached_input_sum",
  cache_write_5m: "cache_write_5m_sum",
  cache_write_1h: "cache_write_1h_sum",
  audio_input: "audio_input_sum",
  audio_output: "audio_output_sum",
  answer_output: "answer_output_sum",
  reasoning_output: "reasoning_output_sum",
} as const;
