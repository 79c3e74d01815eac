import { type AnalysisQuery, DAY_MS, type MetricQuery, type ModelPrice } from "@assay/domain";
import { priceParams } from "../sql/call-cost-sql.ts";

/** A metric among those of one query; its columns in the SQL are named after `index`: `y0`, `d0`, `bins0`, `in0`. */
export interface MetricColumns {
  readonly metric: MetricQuery;
  readonly index: number;
  /** Index of the `SourceColumn`, which metrics of one source share. */
  readonly source: number;
}

/** Where values come from; the events' values are column `v0`, `v1`, … after `index`. */
export interface SourceColumn {
  readonly source: MetricQuery["source"];
  readonly index: number;
}

/** What a query's metrics read, each thing once. */
export interface QueryColumns {
  readonly columns: readonly MetricColumns[];
  readonly sources: readonly SourceColumn[];
  /** The columns of each metric asked for, in that order: p50 and p90 of one value have the same. */
  readonly ofMetrics: readonly MetricColumns[];
  readonly prices: readonly ModelPrice[];
}

/** Numbers the metrics that differ in more than their name, and the sources that differ. */
export function queryColumns({ metrics, prices }: Pick<AnalysisQuery, "metrics" | "prices">): QueryColumns {
  const sources = new Map<string, SourceColumn>();
  const columns = new Map<string, MetricColumns>();
  const ofMetrics = metrics.map((metric) => {
    const { kind, source, windowDays, cap } = metric;
    const from = shared(sources, source, (index) => ({ source, index }));
    return shared(columns, [kind, from.index, windowDays, cap], (index) => ({
      metric,
      index,
      source: from.index,
    }));
  });
  return { columns: [...columns.values()], sources: [...sources.values()], ofMetrics, prices };
}

/** Returns what is there under the key's content, or else adds it under the next number. */
function shared<T>(items: Map<string, T>, key: object, create: (index: number) => T): T {
  const text = JSON.stringify(key, Object.keys(key).sort());
  const item = items.get(text) ?? create(items.size);
  items.set(text, item);
  return item;
}

/** Tells whether the values are what calls cost. */
export function isCost({ source }: SourceColumn): boolean {
  return source.event === "model_call" && source.field === "cost_usd";
}

/** Lists what the SQL of the columns names. */
export function columnParams({ columns, sources, prices }: QueryColumns): Record<string, unknown> {
  const params: Record<string, unknown> = sources.some(isCost) ? priceParams(prices) : {};
  for (const { source, index } of sources) {
    if (source.event === "business_event") params[`business_metric_${index}`] = source.businessMetric;
  }
  for (const { metric, index } of columns) {
    if (metric.windowDays !== null) params[`window_${index}`] = Math.round(metric.windowDays * DAY_MS);
    if (typeof metric.cap === "number") params[`cap_${index}`] = metric.cap;
  }
  return params;
}
