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

/** The activity of an org's users in a window, over all experiments: for planning the next one. */
export interface Baseline {
  /** Sums per metric as if all users were one arm and exposed at the start of the window; a metric without data is absent. */
  readonly metrics: readonly Omit<ArmMetric, "arm" | "period" | "sample">[];
  /** Users by the UTC day of their first event in the window. */
  readonly usersByDay: ReadonlyMap<Day, number>;
}

/** Selects what an org's users did lately in conversations, or in runs. */
export interface UnitHistoryQuery extends BaselineQuery {
  readonly unit: SmallerUnit;
  /** Experiments whose unit this is: their events name it as `unit_id`. Others name it beside the user, if at all. */
  readonly ofExperiments: readonly string[];
}

/**
 * What the org's users did lately by conversation or by run, as far as raw events are kept: of all users, or, where there are too many
 * events, of users chosen by hash.
 */
export interface UnitHistory {
  /** Users who have a unit, and their units. */
  readonly users: number;
  readonly units: number;
  /** Units of all users by the UTC day of their first event in the window; an estimate, where users were chosen. */
  readonly unitsByDay: ReadonlyMap<Day, number>;
  /** As those of a `Baseline`, of units instead of users; a metric most of whose events name no unit is absent. */
  readonly metrics: readonly UnitHistoryMetric[];
}

export interface UnitHistoryMetric extends Omit<ArmMetric, "arm" | "period" | "sample"> {
  /** The units' own values. */
  readonly sample: UserValues;
}
