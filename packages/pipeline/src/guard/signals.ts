import {
  GUARD_COLUMNS,
  GUARD_SIGNALS,
  type Guard,
  type GuardColumn,
  type GuardQuery,
  type GuardSignal,
  isRelative,
  type MetricDefinition,
} from "@assay/domain";

/** A ratio of two sums that should not get worse. */
export interface WatchedSignal {
  /** As messages and results name it: `error_rate`, or the name of a metric. */
  readonly name: string;
  /** Indexes of the sums' columns. */
  readonly numerator: number;
  readonly denominator: number;
  /** Whether the ratio is a share of events, so that all events weigh the same. */
  readonly isShare: boolean;
  /** Whether the ratio is per user. The denominator then only counts events; the arms' users follow from their shares. */
  readonly isPerUser: boolean;
  /** 1: a rise is harm; -1: a fall is. */
  readonly harm: 1 | -1;
  /** The largest acceptable harm: a change of the ratio, absolute or relative to control. */
  readonly acceptable: number;
  readonly isRelative: boolean;
}

/** The numerator and denominator of each signal. */
const RATIOS: Readonly<Record<GuardSignal, readonly [numerator: GuardColumn, denominator: GuardColumn]>> = {
  errorRate: ["errors", "calls"],
  latency: ["latencySum", "latencyCount"],
  costPerCall: ["costSum", "costCount"],
  costPerUser: ["costSum", "costCount"],
  missingUsage: ["missingUsage", "completed"],
  truncation: ["truncated", "completed"],
};

/** How messages and results name the signals. */
export const SIGNAL_NAMES: Readonly<Record<GuardSignal, string>> = {
  errorRate: "error_rate",
  latency: "latency",
  costPerCall: "cost_per_call",
  costPerUser: "cost_per_user",
  missingUsage: "missing_usage",
  truncation: "truncation",
};

const SHARES: ReadonlySet<GuardSignal> = new Set(["errorRate", "missingUsage", "truncation"]);

const columnOf = (column: GuardColumn) => GUARD_COLUMNS.indexOf(column);

type WatchedMetric = MetricDefinition & { readonly source: GuardQuery["metrics"][number]["source"] };

/** Lists the guardrail metrics that a guard can watch. Judged and run metrics arrive too late; quantiles are not sums. */
export function watchedMetrics(metrics: readonly MetricDefinition[]): readonly WatchedMetric[] {
  return metrics.filter(
    (metric): metric is WatchedMetric =>
      metric.role === "guardrail" &&
      metric.kind !== "quantile" &&
      metric.source.event !== "judge" &&
      metric.source.event !== "run",
  );
}

/**
 * Lists what a guard watches. Ratio and ordinal metrics, and metrics on model calls, are measured per event. Other metrics are measured per
 * exposure, because the guard counts events and not users. A metric's largest acceptable harm is its margin, or 0 without one.
 */
export function watchedSignals(guard: Guard, metrics: readonly MetricDefinition[]): readonly WatchedSignal[] {
  const builtIn = GUARD_SIGNALS.flatMap((signal): readonly WatchedSignal[] => {
    const acceptable = guard[signal];
    if (acceptable === null) return [];
    const [numerator, denominator] = RATIOS[signal].map(columnOf) as [number, number];
    return [
      {
        name: SIGNAL_NAMES[signal],
        numerator,
        denominator,
        isShare: SHARES.has(signal),
        isPerUser: signal === "costPerUser",
        harm: 1,
        acceptable,
        isRelative: isRelative(signal),
      },
    ];
  });
  const ofMetrics = watchedMetrics(metrics).map((metric, i): WatchedSignal => {
    const sum = GUARD_COLUMNS.length + 2 * i;
    const isOfCalls = metric.source.event === "model_call";
    const isPerEvent = metric.kind === "ratio" || metric.kind === "ordinal" || isOfCalls;
    return {
      name: metric.name,
      numerator: metric.kind === "binary" && !isOfCalls ? sum + 1 : sum,
      denominator: isPerEvent ? sum + 1 : columnOf("exposures"),
      isShare: metric.kind === "binary",
      isPerUser: false,
      harm: metric.desired === "decrease" ? 1 : -1,
      acceptable: metric.margin ?? 0,
      isRelative: false,
    };
  });
  return [...builtIn, ...ofMetrics];
}
