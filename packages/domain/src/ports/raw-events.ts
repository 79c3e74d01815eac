import type { StoredEvent } from "../event/event.ts";
import type { EventType, PropertyOf } from "../event/fields.ts";
import type { EventSource } from "../event/sources.ts";
import type { ModelCallField } from "../experiment/metric.ts";
import type { ModelPrice } from "../price/model-price.ts";
import type { EventsOfUnits } from "./experiment-events.ts";
import type { PageQuery } from "./page.ts";

/** The field to sort by; events without a value in it are left out. */
export type RawEventSort = "occurred_at" | Exclude<ModelCallField, "error">;

/** Filters of the list; an event must match all of them. */
export interface RawEventFilter {
  readonly type?: EventType;
  /** The variant that the event names; otherwise the arm of the unit's first exposure, if that came before the event. */
  readonly variant?: string;
  readonly userId?: string;
  readonly model?: string;
  /** Whether the call failed; other events match neither value. */
  readonly error?: boolean;
  readonly source?: EventSource;
  /** The first characters of the API key, as stored with events. */
  readonly keyPrefix?: string;
  /** Name and version of the client library. */
  readonly client?: string;
  /** Text in any of an event's texts; case is ignored. */
  readonly text?: string;
  /** The event's unit or run, or the `trace_id` or `conversation_id` of its metadata. */
  readonly thread?: string;
}

/**
 * Selects a page of an experiment's raw events. A cursor is valid only for its sort and direction. Exclusions remove no
 * event from the list; an excluded exposure only does not determine an event's arm.
 */
export interface RawEventQuery extends PageQuery, EventsOfUnits {
  readonly filter: RawEventFilter;
  readonly sort: RawEventSort;
  readonly direction: "asc" | "desc";
  /** Price calls without a cost; one per model. */
  readonly prices: readonly ModelPrice[];
  /** Number of characters to keep of each text's beginning. */
  readonly previewLength: number;
}

/** A raw event without its texts and objects. */
export type EventSummary = Omit<StoredEvent, PropertyOf<"text" | "object">>;

/**
 * An entry of a list. `costUsd` is as sent, otherwise computed from the prices. `promptPreview` is the prompt's
 * beginning, or null when none was sent.
 */
export type EventPreview = EventSummary & {
  readonly [P in PropertyOf<"text"> as `${P}Preview`]: string | null;
};

export interface RawEventRef {
  readonly orgId: string;
  readonly experimentId: string;
  readonly eventId: string;
  /** Price a call without a cost; one per model. */
  readonly prices: readonly ModelPrice[];
}

export interface OutcomeQuery {
  readonly orgId: string;
  readonly experimentId: string;
  readonly userId: string;
  readonly limit: number;
}

/** A business event of a user. */
export interface Outcome {
  readonly businessMetric: string;
  readonly value: number;
  readonly occurredAt: number;
}
