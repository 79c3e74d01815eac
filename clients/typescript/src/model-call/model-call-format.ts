/**
 * What is known of a model call, by the names that `track` takes, filled in as it goes; what the provider does not say
 * stays away.
 */
export interface ModelCallFacts {
  /** `openai`, `anthropic`, `google`, … */
  provider?: string | null;
  /** The model asked for, and the one that answered. */
  requested_model?: string | null;
  model?: string | null;
  /** All input tokens, those read from (or written to) the provider's cache included. */
  input_tokens?: number | null;
  /** Of the input tokens, those read from the provider's cache. */
  cached_input_tokens?: number | null;
  /** All output tokens, reasoning included. */
  output_tokens?: number | null;
  /** Of the output tokens, those spent on reasoning. */
  reasoning_tokens?: number | null;
  /** What the call cost, in US dollars; none of the providers says. */
  cost_usd?: number | null;
  /** In the provider's word. */
  finish_reason?: string | null;
  /** Why the call failed although the provider's library threw nothing; null: it did not. */
  error_type?: string | null;
  prompt?: string | null;
  response?: string | null;
}

/** A model call as far as its answer has been read. */
export interface Reading {
  readonly facts: ModelCallFacts;
  /** The last value of each count that goes into a sum. */
  readonly counts: Record<string, number>;
  /** The text of the response: reads on, and returns all of it so far. */
  readonly write: (content: unknown) => string;
  /** The part of the response that is coming in. */
  part?: { arguments?: string } | undefined;
}

/** What goes into a model call, by the names that most providers have for it. */
export interface ModelRequest {
  readonly model: unknown;
  readonly messages: unknown;
  readonly system: unknown;
}

/** Reads one wire format by its shape; no provider package is imported. Pure, and total: unknown shapes change nothing. */
export interface ModelCallFormat {
  /** The name in the `provider` field: `openai`, `anthropic`, `google`, … */
  readonly provider?: string | null | undefined;
  /** Returns what goes into the call, where its first argument does not say so by the usual names. */
  toRequest?(body: unknown): ModelRequest;
  /** Reads the whole result of a call, or a chunk of a stream, in constant memory (the response text is bounded). */
  read(answer: unknown, reading: Reading): void;
  /** Returns arguments that make the provider tell the usage, or null when the caller's own do as well. */
  askUsage?(args: readonly unknown[]): readonly unknown[] | null;
  /** Whether the chunk is there only because of `askUsage`: the caller does not get to see it. */
  isUsageOnly?(chunk: unknown): boolean;
}
