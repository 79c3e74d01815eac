import {
  type EventPreview,
  type EventSummary,
  type JsonObject,
  type Judgement,
  type MetricDefinition,
  type Outcome,
  type StoredEvent,
  TEST_USER_PREFIX,
  toInstant,
} from "@assay/domain";
import type { Static } from "typebox";
import type { CallScore, StoredEventDetail, StoredEventSummary } from "./schemas/stored-events.ts";
import { toWireJudgement } from "./wire-judge.ts";

/** Writes an entry of a list of raw events, with the call's judgements under the experiment's metrics. */
export function toWirePreview(
  event: EventPreview,
  judgements: readonly Judgement[],
  metrics: readonly MetricDefinition[],
): Static<typeof StoredEventSummary> {
  return {
    ...toWireSummary(event),
    prompt_preview: event.promptPreview,
    response_preview: event.responsePreview,
    scores: judgements.map((judgement) => toWireCallScore(judgement, metrics)),
  };
}

interface AboutEvent {
  /** When the texts go (epoch milliseconds); null: never. */
  readonly expiresAt: number | null;
  readonly outcomes: readonly Outcome[];
  readonly judgements: readonly Judgement[];
}

/** Writes a raw event with its texts. */
export function toWireStoredEvent(
  event: StoredEvent,
  { expiresAt, outcomes, judgements }: AboutEvent,
): Static<typeof StoredEventDetail> {
  return {
    ...toWireSummary(event),
    prompt: event.prompt,
    response: event.response,
    metadata: event.metadata === null ? null : (JSON.parse(event.metadata) as JsonObject),
    raw_expires_at: expiresAt === null ? null : toInstant(expiresAt),
    judgements: judgements.map(toWireJudgement),
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

/** The scale is known while the metric is still of the version that was judged. */
function toWireCallScore(
  { metric: name, metricVersion, state, score, labelScore }: Judgement,
  metrics: readonly MetricDefinition[],
): Static<typeof CallScore> {
  const metric = metrics.find((known) => known.name === name && known.metricVersion === metricVersion);
  const scale = metric?.judge?.scale ?? null;
  return { metric: name, metric_version: metricVersion, scale, state, score, label: labelScore };
}
