import type { IneligibleReason } from "../attribution/attribute.ts";
import type { EventType } from "../event/fields.ts";
import type { EventSource } from "../event/sources.ts";

/** What an experiment's events tell about how they came and whom they count for. */
export interface AttributionFacts {
  /** Users by what their first eligible exposure says; most users first, at most 200 entries. */
  readonly firstExposures: readonly ExposedUsers[];
  /** Exposures that count for no arm. */
  readonly ineligible: readonly IneligibleExposures[];
  /** Model calls and outcomes by where they came from. */
  readonly outcomes: readonly OutcomeSource[];
  /** Ids of this experiment's events that a publishable key and a trusted sender both used. */
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
  /** Owner of the users' buckets; null: nobody's, or not known (`source` null). */
  readonly assignedVariant: string | null;
  readonly source: EventSource | null;
  readonly client: string | null;
  readonly users: number;
}

export interface IneligibleExposures {
  readonly reason: IneligibleReason;
  /** Null: the exposure names none. */
  readonly variant: string | null;
  readonly users: number;
  readonly exposures: number;
  /** When the first of them occurred, epoch milliseconds. */
  readonly since: number;
}

export interface OutcomeSource {
  readonly type: Exclude<EventType, "exposure">;
  /** Null for model calls. */
  readonly businessMetric: string | null;
  readonly source: EventSource | null;
  readonly events: number;
  readonly users: number;
  /** Of the users, those all of whose outcomes of this kind occurred before their first exposure. */
  readonly usersBeforeExposure: number;
  /** Of the users, those who were never exposed. */
  readonly usersWithoutExposure: number;
}
