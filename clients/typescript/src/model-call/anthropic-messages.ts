import { fieldAt, textAt } from "./foreign-value.ts";
import { type FactFields, learnFacts } from "./learn-facts.ts";
import type { ModelCallFormat } from "./model-call-format.ts";
import { addContent, addPart, endParts } from "./reading.ts";

const INPUT = {
  input_tokens: "input_tokens",
  // `input_tokens` does not include these.
  cache_creation_input_tokens: "+input_tokens+cache_write_5m_tokens",
  // Tokens kept for an hour do not count as kept for 5 minutes.
  cache_creation: { ephemeral_1h_input_tokens: "cache_write_1h_tokens-cache_write_5m_tokens" },
  cache_read_input_tokens: "+input_tokens+cached_input_tokens",
  service_tier: "service_tier",
} as const;

/** For whole messages and for stream events. */
const FACTS: FactFields = {
  model: "model",
  // At the start of a stream, the output count is not final.
  message: { model: "model", usage: INPUT },
  usage: {
    ...INPUT,
    output_tokens: "output_tokens",
    output_tokens_details: { thinking_tokens: "reasoning_tokens" },
  },
  stop_reason: "finish_reason",
  delta: { stop_reason: "finish_reason" },
};

/** Anthropic's Messages API, also on Bedrock and Vertex. */
export const anthropicMessages: ModelCallFormat = {
  provider: "anthropic",
  /** Reads a message or an event. Text is added as it arrives, any other block when it is complete. */
  read: (answer, reading) => {
    const type = textAt(answer, "type");
    if (!/^(message|content_block)/.test(type)) return;
    learnFacts(answer, FACTS, reading);
    addContent(fieldAt(answer, "content") || textAt(answer, "delta", "text"), reading);
    addPart(0, fieldAt(answer, "content_block"), textAt(answer, "delta", "partial_json"), reading);
    if (type.endsWith("_stop")) endParts(reading);
  },
};
