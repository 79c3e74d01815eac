import type { StoredEvent } from "../event/event.ts";
import type { MetricSource } from "../experiment/metric.ts";
import type { Day } from "../time/day.ts";

/** A metric as the event store computes it: one value y (and denominator d) per user. */
export interface MetricQuery {
  readonly name: string;
  /** binary: y = 1 when the user had a value other than 0; mean: sum of values, zeros included; ratio: sum of values over their count. */
  readonly kind: "binary" | "mean" | "ratio";
  readonly source: Exclude<MetricSource, { event: "judge" }>;
  readonly windowDays: number | null;
  readonly cap: number | null;
}

export interface AnalysisQuery {
  readonly orgId: string;
  readonly experimentId: string;
  /** Exclusive cut-off, epoch milliseconds: later events do not exist for this query. */
  readonly until: number;
  /** Starts of the allocation periods after the first, ascending: a user belongs to the period of the first exposure. */
  readonly periodStarts: readonly number[];
  readonly metrics: readonly MetricQuery[];
}

/** Users by first exposure. */
export interface ArmExposure {
  readonly arm: string;
  readonly period: number;
  /** Distinct users, test users and contaminated users included: what the SRM gate counts. */
  readonly users: number;
  /** Of them, test users (`svc-test-`). */
  readonly testUsers: number;
  /** Of them, users seen in more than one arm, set apart from every metric. */
  readonly contaminatedUsers: number;
}

/** One metric's sums over the users of one arm and period. Centred sums: m2 = Σ(y − mean)², c = Σ(y − meanY)(d − meanD). */
export interface ArmMetric {
  readonly metric: string;
  readonly arm: string;
  readonly period: number;
  /** Users in the sample: exposed and matured; for ratio only those with d > 0. */
  readonly users: number;
  /** Events that gave the metric a value; for binary every user in the sample counts as one (contract §9). */
  readonly events: number;
  readonly meanY: number;
  readonly m2Y: number;
  readonly meanD: number;
  readonly m2D: number;
  readonly cYD: number;
  /** Counts by fine log bin (`stats/histogram.ts`): per user for binary and mean, per call for ratio. */
  readonly fineCounts: ReadonlyMap<number, number>;
}

export interface ArmSnapshot {
  readonly exposures: readonly ArmExposure[];
  readonly metrics: readonly ArmMetric[];
  /** Outcomes that did not count: before the user's first exposure, or under another variant than the first. */
  readonly droppedPreExposure: number;
  readonly variantConflicts: number;
  readonly firstExposureAt: number | null;
}

export interface TrafficPoint {
  readonly day: Day;
  readonly variant: string;
  readonly exposures: number;
  readonly users: number;
}

/** Append-only store of raw events and of the thin analysis log. Every method names the org. */
export interface EventStore {
  /** Creates or upgrades the tables; safe to call again. */
  migrate(): Promise<void>;
  /** Stores events once: an `(orgId, eventId)` that is stored already, or stands twice in the list, is passed over. */
  append(events: readonly StoredEvent[]): Promise<void>;
  /** Counts the distinct events first received in the UTC month `YYYY-MM`. */
  countReceived(orgId: string, month: string): Promise<number>;
  /** Reads all that one analysis needs. */
  loadArms(query: AnalysisQuery): Promise<ArmSnapshot>;
  /** Exposures per day and variant, oldest first. */
  traffic(orgId: string, experimentId: string): Promise<readonly TrafficPoint[]>;
  /** Answers when the engine answers. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
