import { type MetricQuery, POOLED_CAP } from "@assay/domain";
import { fineBinSql } from "./fine-bin.ts";
import { type MetricSums, mergeSums } from "./merge-sums.ts";
import type { MetricColumns } from "./metric-columns.ts";
import { isPerCall } from "./user-values-sql.ts";

/** The engine's answer per group of users and metric; a number that overflows a double comes as null. */
export type SumsRow = readonly [
  users: number,
  values: number,
  meanY: number | null,
  varY: number | null,
  meanD: number | null,
  varD: number | null,
  covYD: number | null,
  fine: readonly [bins: readonly number[], counts: readonly number[]],
  pooledCap: number | null,
];

/** Returns whether a metric is capped at a quantile over the users of all groups. */
export function isPooled({ kind, cap }: MetricQuery): boolean {
  return kind === "mean" && cap === POOLED_CAP;
}

/**
 * Writes the aggregates of one metric over the users of a group (`user-values-sql.ts` has the columns): the row itself
 * as `sums`, or, for a pooled cap, the values that must be capped over all groups first.
 */
export function groupSumsSql({ metric, index: i }: MetricColumns): string {
  const size = `countIf(in${i}), sumIf(d${i}, in${i})`;
  if (isPooled(metric)) return `(${size}) AS size${i}, groupArrayIf(y${i}, in${i}) AS ys${i}`;
  const ofD = isPerCall(metric)
    ? `avgIf(d${i}, in${i}), varPopStableIf(d${i}, in${i}), covarPopStableIf(y${i}, d${i}, in${i})`
    : "1, 0, 0";
  return `(${size}, avgIf(y${i}, in${i}), varPopStableIf(y${i}, in${i}), ${ofD},
    sumMapIf(bins${i}, arrayWithConstant(length(bins${i}), toUInt64(1)), in${i}), NULL) AS sums${i}`;
}

/** Writes the rows (`SumsRow`) from all groups' aggregates. */
export function finalSumsSql({ metric, index: i }: MetricColumns): string {
  if (!isPooled(metric)) return `sums${i}`;
  const each = (value: string) => `arrayMap(y -> ${value}, capped${i})`;
  return `(size${i}.1, size${i}.2, arrayReduce('avg', capped${i}), arrayReduce('varPopStable', capped${i}), 1, 0, 0,
    arrayReduce('sumMap', ${each(`[${fineBinSql("y")}]`)}, ${each("[toUInt64(1)]")}), cap${i})`;
}

/** Writes the additional columns that `finalSumsSql` reads: the pooled cap and each user's capped y. */
export function pooledCapSql({ metric, index: i }: MetricColumns): string {
  if (!isPooled(metric)) return "";
  return `, quantileExactArray(0.999)(ys${i}) OVER () AS cap${i},
    arrayMap(y -> least(y, cap${i}), ys${i}) AS capped${i}`;
}

/** Reads the rows of disjoint sets of users; null when the sample is empty. A sum that overflows a double becomes NaN. */
export function toMetricSums(metric: MetricQuery, rows: readonly SumsRow[]): MetricSums | null {
  return mergeSums(rows.map((row) => toSums(metric, row)));
}

function toSums({ kind }: MetricQuery, row: SumsRow): MetricSums | null {
  const [users, values, meanY, varY, meanD, varD, covYD, [bins, counts]] = row;
  if (users === 0) return null;
  return {
    users,
    events: kind === "binary" ? users : values,
    meanY: meanY ?? Number.NaN,
    m2Y: (varY ?? Number.NaN) * users,
    meanD: meanD ?? Number.NaN,
    m2D: (varD ?? Number.NaN) * users,
    cYD: (covYD ?? Number.NaN) * users,
    fineCounts: new Map(bins.map((bin, i) => [bin, counts[i] ?? 0])),
  };
}
