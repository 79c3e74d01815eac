import type { EventSource } from "../event/sources.ts";
import type { MetricSource } from "../experiment/metric.ts";
import type { ModelPrice } from "../price/model-price.ts";
import type { EventsOfUnits } from "./experiment-events.ts";

/** Users of an arm are put into so many groups, by a hash: their sums vary as those of independent users, however many users there are. */
export const GUARD_GROUPS = 512;

/** What is summed for each group of an arm, besides a sum and a count of each metric. */
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

/** The variant of every bucket: `variants[i]` owns those from `ends[i - 1]` to before `ends[i]`, and nobody where it is ''. */
export interface BucketOwners {
  readonly salt: string;
  readonly bucketCount: number;
  readonly ends: readonly number[];
  readonly variants: readonly string[];
}

/** Which events of an experiment a guard counts, and how. */
export interface GuardSelection extends EventsOfUnits {
  /** The variants that are compared. Events of others do not count, so that names which clients make up take no memory. */
  readonly arms: readonly string[];
  /** Events that occurred before this instant do not count; epoch milliseconds. */
  readonly occurredFrom: number;
  /** Who has a variant; null where another system assigns, and only events count that name one. */
  readonly owners: BucketOwners | null;
  readonly metrics: readonly {
    readonly source: Exclude<MetricSource, { event: "judge" | "run" }>;
    readonly acceptFrom: readonly EventSource[] | null;
  }[];
  /** Price calls without a cost; one per model. */
  readonly prices: readonly ModelPrice[];
}

/** Selects them by when they were received; epoch milliseconds. */
export interface GuardQuery extends GuardSelection {
  /** Null: all that were received before `receivedUntil`. */
  readonly receivedFrom: number | null;
  readonly receivedUntil: number;
}

/** By arm: the groups' sums, one list per column of `GUARD_COLUMNS`, then a sum and a count of each metric. */
export type GuardSums = ReadonlyMap<string, readonly Float64Array[]>;
