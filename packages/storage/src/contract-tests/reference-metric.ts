import {
  type ArmMetric,
  costOf,
  DAY_MS,
  type MetricQuery,
  type ModelPrice,
  priceFor,
  type StoredEvent,
} from "@assay/domain";
import { fineBin } from "./reference-fine-bin.ts";

/** A value of an event, and how many events it counts for. */
interface Weighted {
  readonly value: number;
  readonly weight: number;
}

/** A user's values for one metric, and those from before the first exposure. */
export interface UserSample {
  readonly values: readonly Weighted[];
  readonly before: readonly Weighted[];
}

/** One user's entry in a `UserValues` or a `UserBins`, with bins as [bin, count] pairs. */
export type ReferenceVector =
  | { readonly type: "values"; readonly users: readonly (readonly [number, number, number, number])[] }
  | { readonly type: "bins"; readonly users: readonly (readonly (readonly [number, number])[])[] };

/** Keeps the users of a metric's sample: users with a value, and all users if a missing value counts as 0 or may have been dropped. */
export function inSample(
  users: readonly UserSample[],
  { kind }: MetricQuery,
  isSampled: boolean,
): readonly UserSample[] {
  const isOfAll = kind === "binary" || kind === "mean" || (kind === "ratio" && isSampled);
  return isOfAll ? users : users.filter(({ values }) => values.length > 0);
}

/** Returns whether an event counts for more than one event. */
export function areSampled(users: readonly UserSample[]): boolean {
  return users.some(({ values }) => values.some(({ weight }) => weight > 1));
}

/** Returns the cap in a metric's unit; a pooled cap is the value at rank ⌊0.999 n⌋ (from 0) over all users. */
export function capOf(metric: MetricQuery, everyone: readonly UserSample[]): number {
  if (metric.kind !== "mean" || metric.cap === null) return Number.POSITIVE_INFINITY;
  if (typeof metric.cap === "number") return metric.cap;
  const ys = everyone.map(({ values }) => weighted(values)).sort((a, b) => a - b);
  return ys[Math.floor(0.999 * ys.length)] ?? Number.POSITIVE_INFINITY;
}

/** Sums the values of the users in a metric's sample. */
export function metricSums(
  users: readonly UserSample[],
  metric: MetricQuery,
  cap: number,
): Omit<ArmMetric, "metric" | "arm" | "period" | "sample"> {
  const isPerCall = metric.kind === "ratio" || metric.kind === "quantile";
  const ys = users.map(({ values }) => yOf(values, metric, cap));
  const ds = users.map(({ values }) => (isPerCall ? weightOf(values) : 1));
  const events = users.flatMap(({ values }) => values);
  const calls = events.map(({ value }) => value);
  const weights = events.map(({ weight }) => weight);
  const extremes = { smallest: Math.min(...weights), largest: Math.max(...weights) };
  return {
    users: users.length,
    events: metric.kind === "binary" ? users.length : calls.length,
    ...moments(ys, ds),
    fineCounts: countsOf((isPerCall ? calls : ys).map(fineBin)),
    ...(extremes.largest > 1 && { weights: { ...extremes, total: sumOf(weights) } }),
  };
}

/** Lists each user's entry of a vector; null for binary. */
export function metricVector(
  users: readonly UserSample[],
  metric: MetricQuery,
  cap: number,
): ReferenceVector | null {
  const { kind } = metric;
  if (kind === "binary") return null;
  if (kind === "quantile") {
    return {
      type: "bins",
      users: users.map(({ values }) => [...countsOf(values.map(({ value }) => fineBin(value)))]),
    };
  }
  return {
    type: "values",
    users: users.map(({ values, before }) => {
      const hasBefore = kind !== "ordinal" && before.length > 0;
      return [
        yOf(values, metric, cap),
        kind === "ratio" ? weightOf(values) : 1,
        // Values from before the exposure only explain the others, so they need no weights.
        hasBefore ? Math.min(sumOf(before.map(({ value }) => value)), cap) : Number.NaN,
        hasBefore ? (kind === "ratio" ? before.length : 1) : Number.NaN,
      ];
    }),
  };
}

/** Lists the events' values for a metric's source; a missing value is not 0. */
export function valuesOf(
  events: readonly StoredEvent[],
  metric: MetricQuery,
  prices: readonly ModelPrice[],
): readonly Weighted[] {
  return events.flatMap((event) => {
    const value = valueGiven(event, metric, prices);
    return value === null ? [] : [{ value, weight: Math.min(2 ** 20, 1 / (event.samplingProbability ?? 1)) }];
  });
}

/** Returns a call's cost, as reported or from its tokens. */
export function costGiven(event: StoredEvent, prices: readonly ModelPrice[]): number | null {
  const price = priceFor(prices, event.model ?? "", event.serviceTier);
  return event.costUsd ?? (price && costOf(event, price));
}

/** Returns a metric's window in milliseconds. */
export function windowMs({ windowDays }: MetricQuery): number {
  return windowDays === null ? Number.POSITIVE_INFINITY : windowDays * DAY_MS;
}

function yOf(values: readonly Weighted[], { kind }: MetricQuery, cap: number): number {
  if (kind === "binary") return values.some(({ value }) => value !== 0) ? 1 : 0;
  return kind === "ordinal" ? weighted(values) / weightOf(values) : Math.min(weighted(values), cap);
}

function weighted(values: readonly Weighted[]): number {
  return sumOf(values.map(({ value, weight }) => value * weight));
}

function weightOf(values: readonly Weighted[]): number {
  return sumOf(values.map(({ weight }) => weight));
}

function sumOf(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function valueGiven(
  event: StoredEvent,
  { source }: MetricQuery,
  prices: readonly ModelPrice[],
): number | null {
  if (source.event === "business_event") {
    const isIts = event.type === "business_event" && event.businessMetric === source.businessMetric;
    return isIts ? event.value : null;
  }
  if (event.type !== "model_call" || source.event !== "model_call") return null;
  return {
    latency_ms: event.latencyMs,
    time_to_first_token_ms: event.timeToFirstTokenMs,
    input_tokens: event.inputTokens,
    output_tokens: event.outputTokens,
    cost_usd: costGiven(event, prices),
    error: event.error === null ? null : Number(event.error),
  }[source.field];
}

function moments(
  ys: readonly number[],
  ds: readonly number[],
): Pick<ArmMetric, "meanY" | "m2Y" | "meanD" | "m2D" | "cYD"> {
  const [meanY, meanD] = [sumOf(ys) / ys.length, sumOf(ds) / ds.length];
  const cross = (f: (y: number, d: number) => number) =>
    ys.reduce((total, y, i) => total + f(y - meanY, (ds[i] ?? 0) - meanD), 0);
  return {
    meanY,
    m2Y: cross((y) => y * y),
    meanD,
    m2D: cross((_, d) => d * d),
    cYD: cross((y, d) => y * d),
  };
}

function countsOf(bins: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const bin of bins.toSorted((a, b) => a - b)) counts.set(bin, (counts.get(bin) ?? 0) + 1);
  return counts;
}
