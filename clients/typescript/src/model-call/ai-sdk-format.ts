import { fieldAt, textAt } from "./foreign-value.ts";
import { type FactFields, learnFacts } from "./learn-facts.ts";
import type { ModelCallFormat } from "./model-call-format.ts";
import { addContent } from "./reading.ts";

/** Version 2 of the model interface has flat counts; later versions group them. Only one of the two is set. */
const FLAT: FactFields = {
  modelId: "model",
  response: { modelId: "model" },
  usage: {
    // For an embedding.
    tokens: "input_tokens",
    inputTokens: "input_tokens",
    cachedInputTokens: "cached_input_tokens",
    outputTokens: "output_tokens",
    reasoningTokens: "reasoning_tokens",
  },
  finishReason: "finish_reason",
};
const BY_KIND: FactFields = {
  usage: {
    inputTokens: {
      total: "input_tokens",
      cacheRead: "cached_input_tokens",
      cacheWrite: "cache_write_5m_tokens",
    },
    outputTokens: { total: "output_tokens", reasoning: "reasoning_tokens" },
    // Anthropic's count of those cached tokens that are kept for an hour. They are a part of all tokens written to the cache.
    raw: { cache_creation: { ephemeral_1h_input_tokens: "cache_write_1h_tokens-cache_write_5m_tokens" } },
  },
  finishReason: { unified: "finish_reason" },
};

/** Returns the request of a call of a Vercel AI SDK language model, from the call's options. */
export function aiSdkRequest(options: unknown, model: unknown): object {
  const messages = fieldAt(options, "prompt") ?? fieldAt(options, "values");
  return { config: options, model: fieldAt(model, "modelId"), messages };
}

/** Makes the format for calls of a Vercel AI SDK language model, made by an agent with this name. */
export function aiSdkFormat(model: unknown, agentName?: string): ModelCallFormat {
  return {
    // `openai.chat`, `google.vertex.chat`, …
    provider: textAt(model, "provider").split(".")[0] || undefined,
    read: (answer, reading) => {
      if (agentName) reading.facts.agent_name = agentName;
      // One part of a stream names the model, and the last part is like a result.
      learnFacts(answer, FLAT, reading);
      learnFacts(answer, BY_KIND, reading);
      if (fieldAt(answer, "embeddings")) reading.facts.output_tokens = 0;
      addContent(fieldAt(answer, "content"), reading);
      const type = textAt(answer, "type");
      if (type === "error") reading.facts.error_type = textAt(answer, "error", "name") || "Error";
      if (type === "text-delta") addContent(fieldAt(answer, "delta"), reading);
      else if (/^(tool-call|file)$/.test(type)) addContent(answer, reading);
    },
  };
}
