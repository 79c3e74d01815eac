import { fieldAt, textAt } from "./foreign-value.ts";
import { type FactFields, learnFacts } from "./learn-facts.ts";
import type { ModelCallFormat } from "./model-call-format.ts";
import { addContent } from "./reading.ts";

/** Version 2 of the models counts in flat fields, later ones by kind: of two places, one tells. */
const FLAT: FactFields = {
  modelId: "model",
  response: { modelId: "model" },
  usage: {
    inputTokens: "input_tokens",
    cachedInputTokens: "cached_input_tokens",
    outputTokens: "output_tokens",
    reasoningTokens: "reasoning_tokens",
  },
  finishReason: "finish_reason",
};
const BY_KIND: FactFields = {
  usage: {
    inputTokens: { total: "input_tokens", cacheRead: "cached_input_tokens" },
    outputTokens: { total: "output_tokens", reasoning: "reasoning_tokens" },
  },
  finishReason: { unified: "finish_reason" },
};

/** Makes the format of the calls of a language model of the Vercel AI SDK, made with its options as first argument. */
export function aiSdkFormat(model: unknown): ModelCallFormat {
  return {
    // `openai.chat`, `google.vertex.chat`, …
    provider: textAt(model, "provider").split(".")[0] || undefined,
    toRequest: (options) => ({
      model: fieldAt(model, "modelId"),
      messages: fieldAt(options, "prompt"),
      system: null,
    }),
    read: (answer, reading) => {
      // One part of a stream tells the model, and the last one is like a result.
      learnFacts(answer, FLAT, reading);
      learnFacts(answer, BY_KIND, reading);
      addContent(fieldAt(answer, "content"), reading);
      const type = textAt(answer, "type");
      if (type === "error") reading.facts.error_type = textAt(answer, "error", "name") || "Error";
      if (type === "text-delta") addContent(fieldAt(answer, "delta"), reading);
      else if (/^(tool-call|file)$/.test(type)) addContent(answer, reading);
    },
  };
}
