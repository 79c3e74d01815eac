import type { EventSource } from "../event/sources.ts";
import type { MetricCap, MetricKind, MetricSource } from "../experiment/metric.ts";
import type { ModelPrice } from "../price/model-price.ts";
import type { Day } from "../time/day.ts";
import type { EventsOfUnits } from "./experiment-events.ts";

/** A metric as the event store computes it: one value y (and denominator d) per user. */
export interface MetricQuery {
  readonly name: string;
  /**
   * binary: y = 1 when the user had a value other than 0; mean: the sum of the values, including zeros; ratio and
   * quantile: the sum of the values over their count d; ordinal: the mean of the user's values. For a ratio of the cost of runs, d
   * counts completed runs. If the unit is the run, a run without a value is in no sample.
   */
  readonly kind: MetricKind;
  readonly source: Exclude<MetricSource, { event: "judge" }>;
  readonly windowDays: number | null;
  /** Winsorizes y of a `mean` metric, at a value or at the quantile over the users of all arms together. */
  readonly cap: MetricCap | null;
  /** Sources of events whose values count; null: all sources. */
  readonly acceptFrom: readonly EventSource[] | null;
}

/** Users whose individual values an analysis needs in addition to the sums. */
export interface SampleQuery {
  /** Maximum number of users per arm. The users with the smallest hash of experiment and user are taken: the same ones every night. */
  readonly maxUsersPerArm: number;
  /** Number of whole UTC days before the day of the first exposure that give the covariate x. */
  readonly preDays: number;
  /** Also returns the users' ids, and a sample for binary metrics, so that people can check a row user by user. */
  readonly withUserIds?: true;
}

export interface AnalysisQuery extends EventsOfUnits {
  /** Exclusive cut-off, epoch milliseconds: later events are ignored. */
  readonly until: number;
  /** Starts of the allocation periods after the first, ascending. A user belongs to the period of the first exposure. */
  readonly periodStarts: readonly number[];
  readonly metrics: readonly MetricQuery[];
  /** Price calls without a cost; one per model. */
  readonly prices: readonly ModelPrice[];
  /** Null for sums only. */
  readonly sample: SampleQuery | null;
  /** Which exposures put users into arms; absent: those that count for the experiment. */
  readonly exposures?: "holdback";
}

/** Counts of users by first exposure. */
export interface ArmExposure {
  readonly arm: string;
  readonly period: number;
  /** Distinct users, including test users and contaminated users: the SRM gate uses this count. */
  readonly users: number;
  /** Test users (`svc-test-`) among them. */
  readonly testUsers: number;
  /** Users among them who were seen in more than one arm; every metric leaves them out. */
  readonly contaminatedUsers: number;
  /** Users among them with more than 1,000 model calls per day between their first and last call. */
  readonly heavyUsers: number;
  /** Users by the UTC day of their first exposure. */
  readonly usersByDay: ReadonlyMap<Day, number>;
}

/**
 * The user of each unit, as a number that all units of one user share, in all arms, periods and metrics. Only equality matters. If
 * this is present, everything that this file says about users applies to units, and the sample of a binary metric includes every
 * unit.
 */
export type UnitClusters = Float64Array;

/** One value per user and kind of value, all in the order of the users' hashes. */
export interface UserValues {
  readonly type: "values";
  readonly y: Float64Array;
  /** For ratio, the weighted number of calls (or runs) with a value; for the cost of runs, the number of completed runs; otherwise 1. */
  readonly d: Float64Array;
  /**
   * The same two values from the days before the first exposure, over all the org's experiments, with the same cap. NaN
   * in both means no data.
   */
  readonly preY: Float64Array;
  readonly preD: Float64Array;
  /** Present if the experiment randomizes conversations or runs: see `UnitClusters`. */
  readonly clusters?: UnitClusters;
  /** When each unit was first exposed, epoch milliseconds; present with `clusters`. */
  readonly startedAt?: Float64Array;
  /** Present only when the query requests it. */
  readonly userIds?: readonly string[];
}

/** Each user's calls by fine bin, in the order of the users' hashes: user i owns entries offsets[i] to offsets[i + 1], bins ascending. */
export interface UserBins {
  readonly type: "bins";
  readonly bins: Int32Array;
  readonly counts: Uint32Array;
  readonly offsets: Uint32Array;
  /** As in `UserValues`. */
  readonly clusters?: UnitClusters;
  /** Present only when the query requests it. */
  readonly userIds?: readonly string[];
}

/** The weights of a metric's events (see `weightOfEvent`). */
export interface EventWeights {
  readonly smallest: number;
  readonly largest: number;
  /** Their sum. */
  readonly total: number;
}

/** One metric's sums over the users of one arm and period. Centered sums: m2 = Σ(y − mean)², c = Σ(y − meanY)(d − meanD). */
export interface ArmMetric {
  readonly metric: string;
  readonly arm: string;
  readonly period: number;
  /** Users in the sample: exposed and matured. For quantile, ordinal and ratio of unsampled events, only users with d > 0. */
  readonly users: number;
  /** Events that gave the metric a value; for binary, every user in the sample counts as one (contract §9). */
  readonly events: number;
  readonly meanY: number;
  readonly m2Y: number;
  readonly meanD: number;
  readonly m2D: number;
  readonly cYD: number;
  /** Counts by fine log bin (`stats/histogram.ts`): per call for ratio and quantile, per user otherwise. */
  readonly fineCounts: ReadonlyMap<number, number>;
  /** The weights of these events; absent if each counts for one. */
  readonly weights?: EventWeights;
  /** Null when the query requests no sample. Also null for binary, whose sums suffice, unless the query requests ids. */
  readonly sample: UserValues | UserBins | null;
}

export interface ArmSnapshot {
  readonly exposures: readonly ArmExposure[];
  /** Users whose units were exposed, including test users, over all arms; absent if users are the units. */
  readonly clusters?: number;
  readonly metrics: readonly ArmMetric[];

  /** Outcomes of exposed users, except those counted below. */
  readonly outcomes: number;
  /** Outcomes that did not count: before the user's first exposure, or with a variant other than the first. */
  readonly droppedPreExposure: number;
  readonly variantConflicts: number;
  readonly firstExposureAt: number | null;
}
