import type { Baseline, Day, MetricDefinition, MetricKind } from "@assay/domain";
import { chooseTest } from "../compare/choose-test.ts";
import { recentUsersPerDay } from "../recent-users.ts";

/** The assumptions about control that planning needs for a metric. */
export interface PlanBaseline {
  /** In the metric's unit: a share for binary, per call for ratio and quantile, per user otherwise. */
  readonly value: number;
  /** Standard deviation of one user's value: √n times the standard error of an arm of n users. */
  readonly sd: number;
  /** `test` means that the test itself fixes the value. */
  readonly source: "request" | "history" | "test";
}

/**
 * For a rank test without an effect and without ties: P(T > C) is ½, and a user's share of wins is uniform over 0 to 1.
 */
export const RANK_BASELINE: PlanBaseline = { value: 0.5, sd: Math.sqrt(1 / 12), source: "test" };

/** Returns whether a rank test will compare the metric; this does not depend on the data. */
export function isRanked(metric: Pick<MetricDefinition, "kind" | "method" | "methodDefault">): boolean {
  const anyData = { hasAllValues: true, smallestExpectedCell: Number.POSITIVE_INFINITY, strata: 1 };
  return chooseTest(metric, anyData) === "mann_whitney_u";
}

type HistorySums = Baseline["metrics"][number];

/** Days before today that a baseline is read from. */
export const HISTORY_DAYS = 14;

/** Computes the standard deviation of one user's 0 or 1 at the rate `p`. */
export function shareSd(p: number): number {
  return Math.sqrt(p * (1 - p));
}

/**
 * Converts a metric's sums over past users to a baseline. For a ratio, the user's value is the linearized (y − R d) /
 * mean d (Deng, Knoblich & Lu 2018). Null when the sums are not enough: fewer than two users, no denominator, no finite
 * number, or a quantile, because its spread over users is not in the sums.
 */
export function historyBaseline(kind: MetricKind, sums: HistorySums): PlanBaseline | null {
  const { users, meanY, m2Y, meanD, m2D, cYD } = sums;
  if (kind === "quantile" || users < 2) return null;
  const isRatio = kind === "ratio";
  const value = isRatio ? meanY / meanD : meanY;
  const spread = isRatio ? (m2Y - 2 * value * cYD + value * value * m2D) / (meanD * meanD) : m2Y;
  const sd = kind === "binary" ? shareSd(value) : Math.sqrt(Math.max(0, spread) / (users - 1));
  return Number.isFinite(value) && Number.isFinite(sd) ? { value, sd, source: "history" } : null;
}

/**
 * Returns the median of new users per day over the last seven full days before `today`, without days before the first
 * user; null when there are none.
 */
export function medianNewUsers(usersByDay: ReadonlyMap<Day, number>, today: Day): number | null {
  const counts = recentUsersPerDay(usersByDay, today).toSorted((a, b) => a - b);
  const [low = 0, high = 0] = [counts[(counts.length - 1) >> 1], counts[counts.length >> 1]];
  return low + high === 0 ? null : (low + high) / 2;
}
