/**
 * What is known about a model call, by the names that `track` takes. Filled in as the answer arrives; facts
 * that the provider does not report stay absent.
 */
export interface ModelCallFacts {
  /** The provider: `openai`, `azure`, `openrouter`, … or the host of the API. */
  provider?: string | null;
  /** The provider's term for the tier that answered. */
  service_tier?: string | null;
  /** The requested model, and the one that answered. */
  requested_model?: string | null;
  model?: string | null;
  /** All input tokens, those read from (or written to) the provider's cache included. */
  input_tokens?: number | null;
  /** Input tokens that were read from the provider's cache. */
  cached_input_tokens?: number | null;
  /** Input tokens that were written to the provider's cache for 5 minutes, and for an hour. */
  cache_write_5m_tokens?: number | null;
  cache_write_1h_tokens?: number | null;
  /** Input tokens of audio. */
  audio_input_tokens?: number | null;
  /** All output tokens, reasoning included. */
  output_tokens?: number | null;
  /** Output tokens spent on reasoning. */
  reasoning_tokens?: number | null;
  /** Output tokens of audio. */
  audio_output_tokens?: number | null;
  /** Whether some of the tokens are an estimate, because the stream was cut short. */
  usage_estimated?: boolean | null;
  /** The time from the start of the call to the first piece of the response. */
  time_to_first_token_ms?: number | null;
  /** The cost of the call in US dollars, where the provider states it. */
  cost_usd?: number | null;
  /** The provider's term. */
  finish_reason?: string | null;
  /** The agent that made the call. */
  agent_name?: string | null;
  /** Why the call failed although the provider's library did not throw; null: it did not fail. */
  error_type?: string | null;
  prompt?: string | null;
  response?: string | null;
}

/** A model call, as far as its answer has been read. */
export interface Reading {
  readonly facts: ModelCallFacts;
  /** The base URL of the provider's API, where it is known; empty otherwise. */
  baseUrl: string;
  /** By fact: the last value of each count in its sum. */
  readonly sums: Record<string, Record<string, number>>;
  /** The text of the response: takes the next piece and returns the text so far. */
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
  /** Whether the facts are the caller's own: they are taken as they are, and none is estimated. */
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
  /** Becomes false for good once the provider refuses the option. */
  isAsked: boolean;
}
