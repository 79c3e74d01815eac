import { type AnalysisQuery, DAY_MS, type Day, dayOf, type ExperimentUnit, startOfDay } from "@assay/domain";
import type { BoundQuery } from "../engine/engine-client.ts";
import type { EventEngine } from "../engine/event-engine.ts";
import { RowBinaryReader } from "../engine/row-binary.ts";
import { hasPriceSql, tokenCostSql } from "../sql/call-cost-sql.ts";
import { countedRows, exposuresOf, IS_EXPOSURE, NOT_SUPERSEDED, unitColumn } from "../sql/conditions.ts";
import type { UnitPast } from "../units/unit.ts";
import { cellsSql, FOLDED_CELLS, type FoldedDays, foldedParams, unitKeySql } from "../units/unit-days.ts";
import { isOfSourceSql } from "./event-values-sql.ts";
import { columnParams, isCost, type QueryColumns, type SourceColumn } from "./metric-columns.ts";
import { hasCovariate } from "./metric-totals.ts";
import { andOfPartSql, hashSql, ON_ONE_THREAD, type Part, partParams, USER_KEY } from "./parts.ts";

/** Returns the sources whose values from before the first exposure a sample includes. */
export function covariateSources({
  columns,
  sources,
}: Pick<QueryColumns, "columns" | "sources">): readonly SourceColumn[] {
  return sources.filter(({ index }) =>
    columns.some(({ metric, source }) => source === index && hasCovariate(metric)),
  );
}

/** The parts of a query of covariates. */
export interface CovariateParts {
  /** The experiments of the org, at most 255. More than one only if cells are folded and units are users. */
  readonly experimentIds: readonly string[];
  readonly sources: readonly SourceColumn[];
  /** The days whose cells are up to date; null if exclusions remove single events, because the cells are then computed. */
  readonly folded: FoldedDays | null;
  /** Whether ids of the org may be overruled. */
  readonly isOverruled: boolean;
  /** Whether the cost of any call in the org's log is computed from its tokens; true when unknown. */
  readonly byTokens: boolean;
  readonly part: Part;
  /** An instant before all exposures of the experiments, epoch milliseconds. */
  readonly firstAt: number;
  /** Only users first exposed on this day or later are of use. The rows of users exposed both before and after it are not. */
  readonly exposedFrom: Day;
}

/**
 * Builds the query of what units' users did in the days before their first exposure, over all experiments of the org. It returns a row
 * per exposed unit and user with activity, ordered by experiment and hash. `covariateReader` reads the rows.
 */
function covariatesQuery(
  query: AnalysisQuery,
  { experimentIds, sources, folded, isOverruled, byTokens, part, firstAt, exposedFrom }: CovariateParts,
): BoundQuery {
  const { notExcluded, params } = countedRows(query);
  const preDays = query.sample?.preDays ?? 0;
  return {
    sql: covariatesSql({
      query,
      sources,
      notExcluded,
      isFolded: folded !== null,
      isOverruled,
      byTokens,
      part,
    }),
    params: {
      ...params,
      experiment_ids: experimentIds,
      until: query.until,
      pre_days: preDays,
      exposed_from: exposedFrom,
      first_day: dayOf(Math.max(0, Math.max(firstAt, startOfDay(exposedFrom)) - preDays * DAY_MS)),
      ...(folded !== null && foldedParams(folded)),
      ...columnParams({ sources, prices: query.prices }, byTokens && sources.some(isCost)),
    },
  };
}

/** Loads the rows of `covariatesQuery`. */
export function loadCovariates(
  engine: EventEngine,
  query: AnalysisQuery,
  parts: CovariateParts,
): Promise<Buffer> {
  const { sql, params } = covariatesQuery(query, parts);
  return engine.rowBinary(
    engine.fromShards(sql, "experiment, hash"),
    { ...params, ...partParams(parts.part) },
    ON_ONE_THREAD,
  );
}

/** Finds what a unit's user did before. If a unit has several users, the one who was exposed first counts. */
export type CovariateReader = (unit: { readonly hash: bigint; readonly userKey: number }) => UnitPast | null;

/** Splits rows of `covariatesQuery` for users by experiment, in the order of `experimentIds`. */
export function byExperiment(
  rows: Buffer,
  { experimentIds, sources }: Pick<CovariateParts, "experimentIds" | "sources">,
): readonly Buffer[] {
  const bytesPerRow = 1 + 8 + 16 * sources.length;
  let start = 0;
  return experimentIds.map((_, index) => {
    let end = start;
    while (end < rows.length && rows[end] === index + 1) end += bytesPerRow;
    const own = rows.subarray(start, end);
    start = end;
    return own;
  });
}

/** The layout of the rows of `covariatesQuery`. */
interface CovariateRows {
  readonly unit: ExperimentUnit;
  /** The index of the analysis's source for each source of the query; null if the analysis does not use it. */
  readonly columns: readonly (number | null)[];
}

/** Reads an experiment's rows of `covariatesQuery`. Units must be requested in the order of their hashes. */
export function covariateReader(bytes: Buffer, { unit, columns }: CovariateRows): CovariateReader {
  const rows = new RowBinaryReader(bytes);
  let found: UnitPast = { sums: [], counts: [] };
  let [at, ofUser]: [bigint | null, number] = [null, 0];
  const next = () => {
    if (rows.isAtEnd()) {
      at = null;
      return;
    }
    rows.uint8();
    at = rows.uint64();
    if (unit !== "user") ofUser = rows.float64();
    const past: { sums: number[]; counts: number[] } = { sums: [], counts: [] };
    for (const index of columns) {
      const [count, sum] = [rows.float64(), rows.float64()];
      if (index !== null) [past.counts[index], past.sums[index]] = [count, sum];
    }
    found = past;
  };
  next();
  const isOther = (userKey: number) => unit !== "user" && ofUser !== userKey;
  return ({ hash, userKey }) => {
    while (at !== null && (at < hash || (at === hash && isOther(userKey)))) next();
    return at === hash ? found : null;
  };
}

/**
 * Reads the cells of `unit_days`. If exclusions remove single events of the experiment, it computes cells from the remaining events
 * instead; without removed events, both give the same bits. Values are sorted before they are added, so cells may come in any order.
 */
function covariatesSql({
  query: { unit, prices },
  sources,
  notExcluded,
  isFolded,
  isOverruled,
  byTokens,
  part,
}: {
  readonly query: Pick<AnalysisQuery, "unit" | "prices">;
  readonly sources: readonly SourceColumn[];
  readonly notExcluded: string;
  readonly isFolded: boolean;
  readonly isOverruled: boolean;
  readonly byTokens: boolean;
  readonly part: Part;
}): string {
  const hash = hashSql(unit, "experiment_id");
  // Several users may share a conversation, on any shard.
  const [userKey, ofUser] = unit === "user" ? ["", ""] : [", user_key", `, ${USER_KEY} AS user_key, user_id`];
  const cells = isFolded
    ? "unit_days"
    : `(${cellsSql({
        table: "analysis",
        where: `${NOT_SUPERSEDED}${notExcluded} AND user_id IN (SELECT user_id FROM analysis WHERE ${IS_EXPOSURE})
            AND occurred_at >= {first_day: Date} AND occurred_at < fromUnixTimestamp64Milli({until: Int64})`,
        onceEach: true,
        byTokens: byTokens && sources.some(isCost),
      })})`;
  const ofCells = isFolded ? `${FOLDED_CELLS} AND day >= {first_day: Date} AND` : "";
  const sums = sources.map((source) => sumsSql(source, byTokens ? prices : null));
  const isOfAny = [...new Set(sources.map((source) => `(${isOfSourceSql(source)})`))].join(" OR ");
  const ofExperiments = `org_id = {org_id: String} AND experiment_id IN {experiment_ids: Array(String)}`;
  const counted = isOverruled ? `${ofExperiments} AND ${NOT_SUPERSEDED}` : ofExperiments;
  return `
    SELECT experiment, hash${userKey}${sums.join("")}
    FROM ${cells} AS cells
    INNER JOIN (
      SELECT ${unitKeySql("user_id")} AS unit_key, toUInt8(indexOf({experiment_ids: Array(String)}, experiment_id)) AS experiment,
        ${hash} AS hash${ofUser}, toDate(min(occurred_at)) AS first_day
      FROM analysis
      WHERE ${exposuresOf(counted)}${notExcluded} AND occurred_at >= {exposed_from: Date}${andOfPartSql(part, hash)}
      GROUP BY experiment_id, ${[...new Set(["user_id", unitColumn(unit)])].join(", ")}
    ) AS first_exposures USING (unit_key)
    WHERE ${ofCells} day < first_day AND day >= first_day - {pre_days: UInt16} AND (${isOfAny})
    GROUP BY experiment, hash${userKey}`;
}

/**
 * Writes a unit's count and sum of a source. A call that reports no cost and whose model has no price has no value. `prices` is null
 * when all calls report their cost: planning the cost of tokens takes as long as the rest of the query.
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
