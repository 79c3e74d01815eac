import {
  type AnalysisQuery,
  DAY_MS,
  isPerCompletedRun,
  type MetricQuery,
  type ModelPrice,
  type RunField,
} from "@assay/domain";
import { priceParams } from "../sql/call-cost-sql.ts";

/** A metric of a query. `index` is its position in `QueryColumns.columns`. */
export interface MetricColumns {
  readonly metric: MetricQuery;
  readonly index: number;
  /** Index of the `SourceColumn`; metrics with the same source share it. */
  readonly source: number;
  /** Index of the `ValuesColumn`; metrics with the same source and window share it. */
  readonly values: number;
}

/** A user's values of a source in a window from the first exposure; `index` names the column in the SQL: `values0`, … */
export interface ValuesColumn {
  /** Index of the `SourceColumn`. */
  readonly source: number;
  /** Milliseconds; infinity without a window. */
  readonly windowMs: number;
  /** Whether a metric needs the single values. */
  readonly isPerCall: boolean;
  /** Whether an event may count for several events. */
  readonly isWeighted: boolean;
  /** As in `Window`. */
  readonly run?: RunField;
  readonly isPerCompleted?: boolean;
  readonly index: number;
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
  readonly values: readonly ValuesColumn[];
  /** The columns of each requested metric, in order; p50 and p90 of one value share theirs. */
  readonly ofMetrics: readonly MetricColumns[];
  readonly prices: readonly ModelPrice[];
  /** Whether an event may count for several events; weights are then read as well. */
  readonly isWeighted: boolean;
}

/** Numbers the distinct sources, and the metrics that differ in more than their name. `isWeighted`: an event may count for several. */
export function queryColumns(
  { metrics, prices }: Pick<AnalysisQuery, "metrics" | "prices">,
  isWeighted = false,
): QueryColumns {
  const sources = new Map<string, SourceColumn>();
  const values = new Map<string, Omit<ValuesColumn, "isPerCall" | "isWeighted">>();
  const columns = new Map<string, MetricColumns>();
  const ofMetrics = metrics.map((metric) => {
    const { kind, source, windowDays, cap, acceptFrom } = metric;
    const from = shared(sources, [source.event, nameOf(source), acceptFrom], (index) => ({
      source,
      acceptFrom,
      index,
    }));
    const ofRuns = runColumn(metric);
    const inWindow = shared(values, [from.index, windowDays, ofRuns.isPerCompleted], (index) => ({
      source: from.index,
      windowMs: windowDays === null ? Number.POSITIVE_INFINITY : Math.round(windowDays * DAY_MS),
      ...ofRuns,
      index,
    }));
    return shared(columns, [kind, inWindow.index, cap], (index) => ({
      metric,
      index,
      source: from.index,
      values: inWindow.index,
    }));
  });
  return {
    columns: [...columns.values()],
    sources: [...sources.values()],
    values: [...values.values()].map((own) => ({
      ...own,
      isWeighted,
      isPerCall: [...columns.values()].some(
        ({ metric, values: index }) => index === own.index && isPerCall(metric),
      ),
    })),
    ofMetrics,
    prices,
    isWeighted,
  };
}

/** Returns the properties of a metric's column that concern runs. */
function runColumn(metric: MetricQuery): Pick<ValuesColumn, "run" | "isPerCompleted"> {
  const { source } = metric;
  return source.event === "run" ? { run: source.field, isPerCompleted: isPerCompletedRun(metric) } : {};
}

/** Returns whether a metric's distribution is over calls rather than over users. */
export function isPerCall({ kind }: MetricQuery): boolean {
  return kind === "ratio" || kind === "quantile";
}

/** Returns the item with an equal key, or adds one under the next number. */
function shared<T>(items: Map<string, T>, key: readonly unknown[], create: (index: number) => T): T {
  const text = JSON.stringify(key);
  const item = items.get(text) ?? create(items.size);
  items.set(text, item);
  return item;
}

/** Returns the field or the business metric that a source reads. */
function nameOf(source: MetricQuery["source"]): string {
  return source.event === "business_event" ? source.businessMetric : source.field;
}

/** Returns whether the values are the cost of calls. */
export function isCost({ source }: Pick<SourceColumn, "source">): boolean {
  return source.event === "model_call" && source.field === "cost_usd";
}

/** Returns the parameters that the SQL of the columns uses; `withPrices`: whether it prices calls. */
export function columnParams(
  { sources, prices }: Pick<QueryColumns, "sources" | "prices">,
  withPrices = sources.some(isCost),
): Record<string, unknown> {
  const params: Record<string, unknown> = withPrices ? priceParams(prices) : {};
  for (const { source, acceptFrom, index } of sources) {
    if (acceptFrom !== null) params[`accept_from_${index}`] = acceptFrom;
    if (source.event === "business_event") params[`business_metric_${index}`] = source.businessMetric;
  }
  return params;
}
