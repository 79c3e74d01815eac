import type { IneligibleReason } from "../attribution/attribute.ts";
import type { EventType } from "../event/fields.ts";
import type { EventSource } from "../event/sources.ts";

/** How an experiment's events arrived, and which arm they count for. */
export interface AttributionFacts {
  /** Users grouped by their first eligible exposure; largest group first, at most 200 entries. */
  readonly firstExposures: readonly ExposedUsers[];
  /** Exposures that count for no arm. */
  readonly ineligible: readonly IneligibleExposures[];
  /** Model calls and outcomes by their origin. */
  readonly outcomes: readonly OutcomeSource[];
  /**
   * Number of this experiment's event ids that both a publishable key and a trusted sender used.
   */
  readonly supersededIds: number;
}

/** The facts of an experiment without events. */
export const NO_ATTRIBUTION_FACTS: AttributionFacts = {
  firstExposures: [],
  ineligible: [],
  outcomes: [],
  supersededIds: 0,
};

export interface ExposedUsers {
  readonly variant: string;
  /**
   * Owner of the users' buckets; null when nobody owns them, or when the owner is unknown (`source`
   * null).
   */
  readonly assignedVariant: string | null;
  readonly source: EventSource | null;
  readonly client: string | null;
  readonly users: number;
}

export interface IneligibleExposures {
  readonly reason: IneligibleReason;
  /** Null if the exposure names none. */
  readonly variant: string | null;
  readonly users: number;
  readonly exposures: number;
  /** Time of the first exposure, epoch milliseconds. */
  readonly since: number;
}

export interface OutcomeSource {
  readonly type: Exclude<EventType, "exposure">;
  /** Null for model calls. */
  readonly businessMetric: string | null;
  readonly source: EventSource | null;
  readonly events: number;
  readonly users: number;
  /** Users whose outcomes of this kind all occurred before their first exposure. */
  readonly usersBeforeExposure: number;
  /** Users who were never exposed. */
  readonly usersWithoutExposure: number;
}
