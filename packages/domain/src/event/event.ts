export const EVENT_TYPES = ["exposure", "model_call", "business_event"] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Users whose id starts so are test users: exposures, never a metric's sample (spec §4). */
export const TEST_USER_PREFIX = "svc-test-";

/** One accepted event, ready for the event store; instants in epoch milliseconds. */
export interface StoredEvent {
  readonly orgId: string;
  readonly experimentId: string;
  readonly eventId: string;
  readonly type: EventType;
  readonly userId: string;
  readonly occurredAt: number;
  readonly receivedAt: number;
  /** As sent, or derived by bucketing; null when the user is in no bucket of the experiment. */
  readonly variant: string | null;
  /** JSON text of the metadata object. */
  readonly metadata: string | null;
  readonly latencyMs: number | null;
  readonly timeToFirstTokenMs: number | null;
  /** The model that answered, as the provider names it. */
  readonly model: string | null;
  /** The model asked for. */
  readonly requestedModel: string | null;
  readonly provider: string | null;
  /** All input tokens, those read from the provider's cache included. */
  readonly inputTokens: number | null;
  /** Of the input tokens, those read from the provider's cache. */
  readonly cachedInputTokens: number | null;
  /** All output tokens, reasoning included. */
  readonly outputTokens: number | null;
  /** Of the output tokens, those spent on reasoning. */
  readonly reasoningTokens: number | null;
  readonly costUsd: number | null;
  readonly error: boolean | null;
  readonly errorType: string | null;
  /** Why the model stopped, in the provider's word: `stop`, `length`, `max_tokens`, … */
  readonly finishReason: string | null;
  readonly prompt: string | null;
  readonly response: string | null;
  readonly businessMetric: string | null;
  readonly value: number | null;
}
