/**
 * What is known about a model call. The names are those of `track`. Filled in as the answer arrives; facts that the
 * provider does not report stay absent.
 */
export interface ModelCallFacts {
  /** The provider: `openai`, `azure`, `openrouter`, … or the host of the API. */
  provider?: string | null;
  /** The provider's term for the tier that answered. */
  service_tier?: string | null;
  /** The requested model, and the one that answered. */
  requested_model?: string | null;
  model?: string | null;
  /** All input tokens, including those read from or written to the provider's cache. */
  input_tokens?: number | null;
  /** Input tokens that were read from the provider's cache. */
  cached_input_tokens?: number | null;
  /** Input tokens that were written to the provider's cache for 5 minutes, and for an hour. */
  cache_write_5m_tokens?: number | null;
  cache_write_1h_tokens?: number | null;
  /** Input tokens of audio. */
  audio_input_tokens?: number | null;
  /** All output tokens, including reasoning. */
  output_tokens?: number | null;
  /** Output tokens spent on reasoning. */
  reasoning_tokens?: number | null;
  /** Output tokens of audio. */
  audio_output_tokens?: number | null;
  /** Whether some token counts are estimates, because the stream was cut short. */
  usage_estimated?: boolean | null;
  /** The time from the start of the call to the first piece of the response. */
  time_to_first_token_ms?: number | null;
  /** The cost of the call in US dollars, if the provider reports it. */
  cost_usd?: number | null;
  /** Why the answer ended, in the provider's term. */
  finish_reason?: string | null;
  /** The agent that made the call. */
  agent_name?: string | null;
  /** Why the call failed although the provider's library did not throw. Null: it did not fail. */
  error_type?: string | null;
  prompt?: string | null;
  response?: string | null;
}

/** A model call, as far as its answer has been read. */
export interface Reading {
  readonly facts: ModelCallFacts;
  /** The base URL of the provider's API. Empty if unknown. */
  baseUrl: string;
  /** For each fact that is a sum: the last value of each count in it. */
  readonly sums: Record<string, Record<string, number>>;
  /** Takes the next piece of the response's text and returns the text so far. */
  readonly write: (content: unknown) => string;
  /** The parts of the response that are still arriving, by their indexes. */
  parts: Record<number, { arguments?: string }>;
}

/**
 * Reads one wire format by its shape, without importing a provider package. Pure. Unknown shapes change
 * nothing.
 */
export interface ModelCallFormat {
  /** The name in the `provider` field: `openai`, `anthropic`, `google`, … */
  readonly provider?: string | null | undefined;
  /** Whether the facts come from the caller. They are then used unchanged, and none is estimated. */
  readonly isExtracted?: boolean;
  /** Reads the whole result of a call, or a chunk of a stream, in constant memory (the response text is bounded). */
  read(answer: unknown, reading: Reading): void;
  /** Returns arguments that make the provider report usage, or null when the caller's own do so already. */
  askUsage?(args: readonly unknown[]): readonly unknown[] | null;
  /** Truthy when the chunk exists only because of `askUsage`. The caller does not see it. */
  isUsage?(chunk: unknown): unknown;
}

/** Whether to request the usage of streams. */
export interface UsageAsking {
  /** Becomes false for good once the provider rejects the option. */
  isAsked: boolean;
}
