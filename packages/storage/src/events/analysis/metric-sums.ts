import { type MetricQuery, POOLED_CAP } from "@assay/domain";
import { fineBinSql } from "./fine-bin.ts";
import { type MetricSums, mergeSums } from "./merge-sums.ts";
import type { MetricColumns, QueryColumns } from "./metric-columns.ts";
import { binsSql, isPerCall } from "./user-values-sql.ts";

/** The sums of one metric over a group of users; a number that overflows a double is null. */
export type SumsRow = readonly [
  users: number,
  values: number,
  meanY: number | null,
  varY: number | null,
  meanD: number | null,
  varD: number | null,
  covYD: number | null,
  fine: FineCounts,
  pooledCap: number | null,
];

type FineCounts = readonly [bins: readonly number[], counts: readonly number[]];

/**
 * The engine's answer per group of users, if there are metrics: first seven arrays with an item per metric, in the order of
 * `SumsRow`. Then, per metric, the fine counts; with a pooled cap, what the capped values give.
 */
export type GroupSums = readonly [
  sums: readonly (readonly (number | null)[])[],
  ...metrics: readonly (
    | FineCounts
    | readonly [meanY: number | null, varY: number | null, fine: FineCounts, cap: number]
  )[],
];

/** Returns whether a metric is capped at a quantile over the users of all groups. */
export function isPooled({ kind, cap }: MetricQuery): boolean {
  return kind === "mean" && cap === POOLED_CAP;
}

/**
 * Writes the query of `GroupSums` out of `groups`, which has the columns `kept` and those of `groupSumsSql`. A pooled cap is taken
 * over all groups first; without one, `groups` is the query.
 */
export function finalSumsSql({ columns }: QueryColumns, kept: string, groups: string): string {
  const answer = columns.map(({ metric, index: i }) => {
    if (!isPooled(metric)) return `fine${i}`;
    const each = (value: string) => `arrayMap(y -> ${value}, capped${i})`;
    return `(arrayReduce('avg', capped${i}), arrayReduce('varPopStable', capped${i}),
      arrayReduce('sumMap', ${each(`[${fineBinSql("y")}]`)}, ${each("[toUInt64(1)]")}), cap${i})`;
  });
  const caps = columns
    .filter(({ metric }) => isPooled(metric))
    .map(
      ({ index: i }) => `, quantileExactArray(0.999)(ys${i}) OVER () AS cap${i},
        arrayMap(y -> least(y, cap${i}), ys${i}) AS capped${i}`,
    );
  if (caps.length === 0) return groups;
  return `SELECT ${[kept, "sums", ...answer].join(", ")} FROM (SELECT * ${caps.join("")} FROM ${groups})`;
}

/**
 * Writes the aggregates over the users of a group, beginning with a comma; `user-values-sql.ts` has the arrays. For a pooled cap, they
 * are the values that must be capped over all groups first.
 */
export function groupSumsSql(used: QueryColumns): string {
  if (used.columns.length === 0) return "";
  const ofMetrics = used.columns.map((own) => {
    const { metric, index: i } = own;
    const isIn = `ins[${i + 1}]`;
    if (isPooled(metric)) return `, groupArrayIf(ys[${i + 1}], ${isIn}) AS ys${i}`;
    const bins = binsSql(used, own);
    return `, sumMapIf(${bins}, arrayWithConstant(length(${bins}), toUInt64(1)), ${isIn}) AS fine${i}`;
  });
  return `, (sumForEach(ins), sumIfForEach(ds, ins), avgIfForEach(ys, ins), varPopStableIfForEach(ys, ins),
      avgIfForEach(ds, ins), varPopStableIfForEach(ds, ins), covarPopStableIfForEach(ys, ds, ins)) AS sums
    ${ofMetrics.join("")}`;
}

/** Reads the sums of one metric. */
export function sumsOf({ metric, index }: MetricColumns, [sums, ...metrics]: GroupSums): SumsRow {
  const [users, values, meanY, varY, meanD, varD, covYD] = sums.map((items) => items[index] ?? null);
  const size = [users ?? 0, values ?? 0] as const;
  const own = metrics[index]!;
  if (own.length === 4) {
    const [cappedMeanY, cappedVarY, fine, cap] = own;
    return [...size, cappedMeanY, cappedVarY, 1, 0, 0, fine, cap];
  }
  const ofD = isPerCall(metric) ? ([meanD!, varD!, covYD!] as const) : ([1, 0, 0] as const);
  return [...size, meanY!, varY!, ...ofD, own, null];
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
