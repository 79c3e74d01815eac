import type { StoredEvent } from "../event/event.ts";
import type { EventType, PropertyOf } from "../event/fields.ts";
import type { EventSource } from "../event/sources.ts";
import type { ModelCallField } from "../experiment/metric.ts";
import type { ModelPrice } from "../price/model-price.ts";
import type { PageQuery } from "./page.ts";

/** When the events occurred, or a number of calls: events without it are left out. */
export type RawEventSort = "occurred_at" | Exclude<ModelCallField, "error">;

/** What events must be to be listed; all of what is given. */
export interface RawEventFilter {
  readonly type?: EventType;
  readonly variant?: string;
  readonly userId?: string;
  readonly model?: string;
  /** Whether the call failed; other events did neither. */
  readonly error?: boolean;
  readonly source?: EventSource;
  /** The first characters of the API key, as events keep them. */
  readonly keyPrefix?: string;
  /** Name and version of the client library. */
  readonly client?: string;
  /** In the prompt or the response, in upper or lower case. */
  readonly text?: string;
  /** The `trace_id` or the `conversation_id` of the event's metadata. */
  readonly thread?: string;
}

/** Which part of an experiment's raw events. A cursor holds for its sort and direction only. */
export interface RawEventQuery extends PageQuery {
  readonly orgId: string;
  readonly experimentId: string;
  readonly filter: RawEventFilter;
  readonly sort: RawEventSort;
  readonly direction: "asc" | "desc";
  /** Price the calls that carry no cost; one per model. */
  readonly prices: readonly ModelPrice[];
  /** Characters of the texts' beginnings. */
  readonly previewLength: number;
}

/** A raw event without its texts and objects. */
export type EventSummary = Omit<StoredEvent, PropertyOf<"text" | "object">>;

/** An entry of a list: `costUsd` is as sent or else priced. `promptPreview` is the prompt's beginning; null: none was sent. */
export type EventPreview = EventSummary & {
  readonly [P in PropertyOf<"text"> as `${P}Preview`]: string | null;
};

export interface RawEventRef {
  readonly orgId: string;
  readonly experimentId: string;
  readonly eventId: string;
  /** Price a call that carries no cost; one per model. */
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
