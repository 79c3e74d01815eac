import type { ExperimentExclusions } from "../attribution/exclusions.ts";
import type { SmallerUnit } from "../experiment/unit.ts";
import type { ModelPrice } from "../price/model-price.ts";
import type { Day } from "../time/day.ts";
import type { ArmMetric, MetricQuery, UserValues } from "./arm-analysis.ts";

export interface BaselineQuery {
  readonly orgId: string;
  /** Half-open window, epoch milliseconds. */
  readonly from: number;
  readonly until: number;
  readonly metrics: readonly MetricQuery[];
  /** Price calls without a cost; one per model. */
  readonly prices: readonly ModelPrice[];
  /** Experiments whose events do not count; when absent, all events count. */
  readonly exceptExperimentIds?: readonly string[];
  readonly exclusions: readonly ExperimentExclusions[];
}

/** The activity of an org's users in a window, over all experiments. Planning the next experiment uses it. */
export interface Baseline {
  /** Sums per metric as if all users were one arm and exposed at the start of the window; a metric without data is absent. */
  readonly metrics: readonly Omit<ArmMetric, "arm" | "period" | "sample">[];
  /** Users by the UTC day of their first event in the window. */
  readonly usersByDay: ReadonlyMap<Day, number>;
}

/** Selects the recent activity of an org's users by conversation or by run. */
export interface UnitHistoryQuery extends BaselineQuery {
  readonly unit: SmallerUnit;
  /** Experiments with this unit: their events name it as `unit_id`. Events of other experiments name it elsewhere, if at all. */
  readonly ofExperiments: readonly string[];
}

/**
 * The recent activity of the org's users by conversation or by run, as far back as raw events are kept. It covers all users or, if there
 * are too many events, users chosen by hash.
 */
export interface UnitHistory {
  /** Users who have a unit, and their units. */
  readonly users: number;
  readonly units: number;
  /** Units of all users by the UTC day of their first event in the window; an estimate if users were chosen by hash. */
  readonly unitsByDay: ReadonlyMap<Day, number>;
  /** Like the metrics of a `Baseline`, but of units. A metric is absent if most of its events name no unit. */
  readonly metrics: readonly UnitHistoryMetric[];
}

export interface UnitHistoryMetric extends Omit<ArmMetric, "arm" | "period" | "sample"> {
  /** The units' own values. */
  readonly sample: UserValues;
}
