import { callCostSql } from "../sql/call-cost-sql.ts";
import { isCost, type QueryColumns, type SourceColumn } from "./metric-columns.ts";

/** Writes an event's value for each source as column `v0`, `v1`, …; NULL (not 0) when it has none. */
export function eventValuesSql({ sources, prices }: Pick<QueryColumns, "sources" | "prices">): string {
  const columns = sources.map((column) => {
    return `, if(${isOfSourceSql(column)}, ${valueSql(column, prices)}, NULL) AS v${column.index}`;
  });
  return columns.join("");
}

function valueSql(column: SourceColumn, prices: QueryColumns["prices"]): string {
  const { source } = column;
  if (source.event === "run") return "NULL";
  if (source.event === "business_event") return "value";
  return isCost(column) ? callCostSql(prices) : `toFloat64(${source.field})`;
}

/** Writes the condition that an event may have a value for a source. */
export function isOfSourceSql({ source, acceptFrom, index }: SourceColumn): string {
  // No single event is a run.
  if (source.event === "run") return "0";
  const isOfType =
    source.event === "model_call"
      ? "type = 'model_call'"
      : `type = 'business_event' AND business_metric = {business_metric_${index}: String}`;
  return acceptFrom === null ? isOfType : `${isOfType} AND source IN {accept_from_${index}: Array(String)}`;
}
