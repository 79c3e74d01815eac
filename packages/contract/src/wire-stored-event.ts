import {
  type EventPreview,
  type EventSummary,
  type JsonObject,
  type Outcome,
  type StoredEvent,
  TEST_USER_PREFIX,
  toInstant,
} from "@assay/domain";
import type { Static } from "typebox";
import type { StoredEventDetail, StoredEventSummary } from "./schemas/stored-events.ts";

/** Writes an entry of a list of raw events. */
export function toWirePreview(event: EventPreview): Static<typeof StoredEventSummary> {
  return {
    ...toWireSummary(event),
    prompt_preview: event.promptPreview,
    response_preview: event.responsePreview,
  };
}

/** Writes a raw event with its texts; `expiresAt`: when they go (epoch milliseconds), null for never. */
export function toWireStoredEvent(
  event: StoredEvent,
  { expiresAt, outcomes }: { readonly expiresAt: number | null; readonly outcomes: readonly Outcome[] },
): Static<typeof StoredEventDetail> {
  return {
    ...toWireSummary(event),
    prompt: event.prompt,
    response: event.response,
    metadata: event.metadata === null ? null : (JSON.parse(event.metadata) as JsonObject),
    raw_expires_at: expiresAt === null ? null : toInstant(expiresAt),
    outcomes: outcomes.map(({ businessMetric, value, occurredAt }) => ({
      business_metric: businessMetric,
      value,
      occurred_at: toInstant(occurredAt),
    })),
  };
}

function toWireSummary(event: EventSummary) {
  return {
    event_id: event.eventId,
    type: event.type,
    occurred_at: toInstant(event.occurredAt),
    received_at: toInstant(event.receivedAt),
    user_id: event.userId,
    variant: event.variant,
    is_test: event.userId.startsWith(TEST_USER_PREFIX),
    model: event.model,
    requested_model: event.requestedModel,
    provider: event.provider,
    latency_ms: event.latencyMs,
    time_to_first_token_ms: event.timeToFirstTokenMs,
    input_tokens: event.inputTokens,
    cached_input_tokens: event.cachedInputTokens,
    output_tokens: event.outputTokens,
    reasoning_tokens: event.reasoningTokens,
    cost_usd: event.costUsd,
    finish_reason: event.finishReason,
    error: event.error,
    error_type: event.errorType,
    business_metric: event.businessMetric,
    value: event.value,
  };
}
