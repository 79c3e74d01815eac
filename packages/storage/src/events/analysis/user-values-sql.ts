import type { MetricQuery } from "@assay/domain";
import { CALL_COST } from "../sql/call-cost-sql.ts";
import { fineBinSql } from "./fine-bin.ts";
import { isCost, type MetricColumns, type SourceColumn } from "./metric-columns.ts";

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
 * Writes a user's columns for one metric: `values`, their count `d`, `y`, the fine `bins` of what is counted, and `in`.
 * The input is the user's values in the window (Array(Float64)) and whether a user with values is in the metric's sample.
 * A pooled cap is applied later, because it needs the users of all arms (`metric-sums.ts`).
 */
export function userValuesSql(
  { metric, index: i }: MetricColumns,
  { values, isSampled }: { readonly values: string; readonly isSampled: string },
): string {
  return `
    ${values} AS values${i},
    toFloat64(length(values${i})) AS d${i},
    ${ySql(metric, i)} AS y${i},
    ${isPerCall(metric) ? `arrayMap(v -> ${fineBinSql("v")}, values${i})` : `[${fineBinSql(`y${i}`)}]`} AS bins${i},
    ${isSampled}${needsValues(metric) ? ` AND d${i} > 0` : ""} AS in${i}`;
}

function ySql({ kind, cap }: MetricQuery, i: number): string {
  const sum = `arraySum(values${i})`;
  switch (kind) {
    case "binary":
      return `toFloat64(arrayExists(v -> v != 0, values${i}))`;
    case "mean":
      return typeof cap === "number" ? `least(${sum}, {cap_${i}: Float64})` : sum;
    case "ordinal":
      return `${sum} / d${i}`;
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
