import type { EventSource } from "../event/sources.ts";
import type { MetricSource } from "../experiment/metric.ts";
import type { ModelPrice } from "../price/model-price.ts";
import type { EventsOfUnits } from "./experiment-events.ts";

/** Number of groups that an arm's users hash into. The spread between groups replaces the spread between any number of users. */
export const GUARD_GROUPS = 512;

/** What is summed for each group of an arm, in addition to a sum and a count for each metric. */
export const GUARD_COLUMNS = [
  "exposures",
  "calls",
  "errors",
  "completed",
  "latencySum",
  "latencyCount",
  "costSum",
  "costCount",
  "missingUsage",
  "truncated",
] as const;
export type GuardColumn = (typeof GUARD_COLUMNS)[number];

/** The variant of every bucket: `variants[i]` owns the buckets from `ends[i - 1]` to before `ends[i]`; '' means no owner. */
export interface BucketOwners {
  readonly salt: string;
  readonly bucketCount: number;
  readonly ends: readonly number[];
  readonly variants: readonly string[];
}

/** Which events of an experiment a guard counts, and how. */
export interface GuardSelection extends EventsOfUnits {
  /** The variants that are compared. Events of other variants do not count, so that invented names take no memory. */
  readonly arms: readonly string[];
  /** Events that occurred before this instant do not count; epoch milliseconds. */
  readonly occurredFrom: number;
  /** The variant of every bucket. Null if another system assigns: then only events that name a variant count. */
  readonly owners: BucketOwners | null;
  readonly metrics: readonly {
    readonly source: Exclude<MetricSource, { event: "judge" | "run" }>;
    readonly acceptFrom: readonly EventSource[] | null;
  }[];
  /** Price calls without a cost; one per model. */
  readonly prices: readonly ModelPrice[];
}

/** Selects events by the time of receipt, epoch milliseconds. */
export interface GuardQuery extends GuardSelection {
  /** Null: all events that were received before `receivedUntil`. */
  readonly receivedFrom: number | null;
  readonly receivedUntil: number;
}

/** For each arm, lists with one entry per group: one list per column of `GUARD_COLUMNS`, then a sum and a count per metric. */
export type GuardSums = ReadonlyMap<string, readonly Float64Array[]>;
