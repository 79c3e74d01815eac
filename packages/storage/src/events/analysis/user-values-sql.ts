import type { MetricQuery } from "@assay/domain";
import { CALL_COST } from "../sql/call-cost-sql.ts";
import { fineBinSql } from "./fine-bin.ts";
import { isCost, type MetricColumns, type QueryColumns, type SourceColumn } from "./metric-columns.ts";

/** Writes an event's value for each source as column `v0`, `v1`, …; NULL (not 0) when it has none. */
export function eventValuesSql(sources: readonly SourceColumn[]): string {
  const columns = sources.map((column) => {
    return `, if(${isOfSourceSql(column)}, ${valueSql(column)}, NULL) AS v${column.index}`;
  });
  return columns.join("");
}

function valueSql(column: SourceColumn): string {
  const { source } = column;
  if (source.event !== "model_call") return "value";
  return isCost(column) ? CALL_COST : `toFloat64(${source.field})`;
}

/** Writes the condition that an event may have a value for a source. */
export function isOfSourceSql({ source, acceptFrom, index }: SourceColumn): string {
  const isOfType =
    source.event === "model_call"
      ? "type = 'model_call'"
      : `type = 'business_event' AND business_metric = {business_metric_${index}: String}`;
  return acceptFrom === null ? isOfType : `${isOfType} AND source IN {accept_from_${index}: Array(String)}`;
}

/**
 * Writes a user's arrays with an item per metric: `ys`, the counts `ds` of values, and `ins`, 1 in the metric's sample; and
 * `bins`, the fine bins of what is counted, sorted, each once. The input is the values in each window (`values0`
 * and so on, Array(Float64)), and whether a user with values is in a metric's sample. A pooled cap is applied later, because it
 * needs the users of all arms (`metric-sums.ts`).
 *
 * Planning a query takes time for each expression, so there is one per array, not one per metric.
 */
export function userValuesSql(used: QueryColumns, isSampled: (own: MetricColumns) => string): string {
  const { columns } = used;
  const each = (sql: (own: MetricColumns) => string) => `[${columns.map(sql).join(", ")}]`;
  const isIn = (own: MetricColumns) =>
    needsValues(own.metric) ? `${isSampled(own)} AND notEmpty(values${own.values})` : isSampled(own);
  return `
    ${each(({ values }) => `toFloat64(length(values${values}))`)} AS ds,
    ${each(ySql)} AS ys,
    ${each(isIn)} AS ins,
    arrayMap(counted -> arraySort(arrayMap(v -> ${fineBinSql("v")}, counted)), [${binned(used).join(", ")}]) AS bins`;
}

/** Writes the fine bins of a metric that `userValuesSql` wrote. */
export function binsSql(used: QueryColumns, own: MetricColumns): string {
  return `bins[${binned(used).indexOf(countedSql(own)) + 1}]`;
}

/** Lists what is counted, each once: the values of calls, which metrics share, or a user's y. */
function binned({ columns }: QueryColumns): readonly string[] {
  return [...new Set(columns.map(countedSql))];
}

function countedSql({ metric, index, values }: MetricColumns): string {
  return isPerCall(metric) ? `values${values}` : `[ys[${index + 1}]]`;
}

function ySql({ metric: { kind, cap }, index, values }: MetricColumns): string {
  const sum = `arraySum(values${values})`;
  switch (kind) {
    case "binary":
      return `toFloat64(arrayExists(v -> v != 0, values${values}))`;
    case "mean":
      return typeof cap === "number" ? `least(${sum}, {cap_${index}: Float64})` : sum;
    case "ordinal":
      return `${sum} / length(values${values})`;
    case "ratio":
    case "quantile":
      return sum;
  }
}

/** Returns whether a metric's distribution is over calls rather than over users. */
export function isPerCall({ kind }: MetricQuery): boolean {
  return kind === "ratio" || kind === "quantile";
}

/** Returns whether a metric's sample leaves out users without a value; otherwise they count as 0. */
function needsValues({ kind }: MetricQuery): boolean {
  return kind === "ratio" || kind === "quantile" || kind === "ordinal";
}
