import { type AnalysisQuery, DAY_MS, type MetricQuery, type ModelPrice } from "@assay/domain";
import { priceParams } from "../sql/call-cost-sql.ts";

/** A metric of a query. `index` names its columns in the SQL: `y0`, `d0`, `bins0`, `in0`. */
export interface MetricColumns {
  readonly metric: MetricQuery;
  readonly index: number;
  /** Index of the `SourceColumn`; metrics with the same source share it. */
  readonly source: number;
}

/** A source of values; `index` names its column in the SQL: `v0`, `v1`, … */
export interface SourceColumn {
  readonly source: MetricQuery["source"];
  readonly acceptFrom: MetricQuery["acceptFrom"];
  readonly index: number;
}

/** The columns and sources that a query's metrics read, without duplicates. */
export interface QueryColumns {
  readonly columns: readonly MetricColumns[];
  readonly sources: readonly SourceColumn[];
  /** The columns of each requested metric, in order; p50 and p90 of one value share theirs. */
  readonly ofMetrics: readonly MetricColumns[];
  readonly prices: readonly ModelPrice[];
}

/** Numbers the distinct sources, and the metrics that differ in more than their name. */
export function queryColumns({ metrics, prices }: Pick<AnalysisQuery, "metrics" | "prices">): QueryColumns {
  const sources = new Map<string, SourceColumn>();
  const columns = new Map<string, MetricColumns>();
  const ofMetrics = metrics.map((metric) => {
    const { kind, source, windowDays, cap, acceptFrom } = metric;
    const from = shared(sources, [source.event, nameOf(source), acceptFrom], (index) => ({
      source,
      acceptFrom,
      index,
    }));
    return shared(columns, [kind, from.index, windowDays, cap], (index) => ({
      metric,
      index,
      source: from.index,
    }));
  });
  return { columns: [...columns.values()], sources: [...sources.values()], ofMetrics, prices };
}

/** Returns the item of an equal key, or else adds one under the next number. */
function shared<T>(items: Map<string, T>, key: readonly unknown[], create: (index: number) => T): T {
  const text = JSON.stringify(key);
  const item = items.get(text) ?? create(items.size);
  items.set(text, item);
  return item;
}

/** Returns the field or the business metric that a source reads. */
function nameOf(source: MetricQuery["source"]): string {
  return source.event === "model_call" ? source.field : source.businessMetric;
}

/** Returns whether the values are the cost of calls. */
export function isCost({ source }: SourceColumn): boolean {
  return source.event === "model_call" && source.field === "cost_usd";
}

/** Returns the parameters that the SQL of the columns uses. */
export function columnParams({ columns, sources, prices }: QueryColumns): Record<string, unknown> {
  const params: Record<string, unknown> = sources.some(isCost) ? priceParams(prices) : {};
  for (const { source, acceptFrom, index } of sources) {
    if (acceptFrom !== null) params[`accept_from_${index}`] = acceptFrom;
    if (source.event === "business_event") params[`business_metric_${index}`] = source.businessMetric;
  }
  for (const { metric, index } of columns) {
    if (metric.windowDays !== null) params[`window_${index}`] = Math.round(metric.windowDays * DAY_MS);
    if (typeof metric.cap === "number") params[`cap_${index}`] = metric.cap;
  }
  return params;
}
