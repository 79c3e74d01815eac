import type { RawEvent } from "./check-event.ts";
import type { EventType, StoredEvent } from "./event.ts";
import { parseTimestamp } from "./timestamp.ts";

/** What the row does not say itself. */
export interface EventContext {
  readonly orgId: string;
  readonly receivedAt: number;
  /** Canonical id of the row's experiment. */
  readonly experimentId: string;
  /** Derives the variant of a user by bucketing; used when the row names none. */
  readonly variantOf: (userId: string) => string | null;
}

/** Turns a row that `checkEvent` passed into the stored form. Unpaired surrogates become U+FFFD, as in the hash. */
export function toStoredEvent(row: RawEvent, context: EventContext): StoredEvent {
  const type = row.type as EventType;
  const userId = text(row, "user_id") ?? "";
  const isCall = type === "model_call";
  const isBusiness = type === "business_event";
  return {
    orgId: context.orgId,
    experimentId: context.experimentId,
    eventId: text(row, "event_id") ?? "",
    type,
    userId,
    occurredAt: parseTimestamp(row.timestamp) ?? context.receivedAt,
    receivedAt: context.receivedAt,
    variant: text(row, "variant") || context.variantOf(userId),
    metadata: row.metadata ? JSON.stringify(row.metadata).toWellFormed() : null,
    latencyMs: isCall ? number(row, "latency_ms") : null,
    timeToFirstTokenMs: isCall ? number(row, "time_to_first_token_ms") : null,
    model: isCall ? text(row, "model") : null,
    requestedModel: isCall ? text(row, "requested_model") : null,
    provider: isCall ? text(row, "provider") : null,
    inputTokens: isCall ? number(row, "input_tokens") : null,
    cachedInputTokens: isCall ? number(row, "cached_input_tokens") : null,
    outputTokens: isCall ? number(row, "output_tokens") : null,
    reasoningTokens: isCall ? number(row, "reasoning_tokens") : null,
    costUsd: isCall ? number(row, "cost_usd") : null,
    error: isCall ? row.error === true : null,
    errorType: isCall ? text(row, "error_type") : null,
    finishReason: isCall ? text(row, "finish_reason") : null,
    prompt: isCall ? text(row, "prompt") : null,
    response: isCall ? text(row, "response") : null,
    businessMetric: isBusiness ? text(row, "business_metric") : null,
    value: isBusiness ? (number(row, "value") ?? 1) : null,
  };
}

function text(row: RawEvent, field: string): string | null {
  const value = row[field];
  return typeof value === "string" ? value.toWellFormed() : null;
}

function number(row: RawEvent, field: string): number | null {
  const value = row[field];
  return typeof value === "number" ? value : null;
}
