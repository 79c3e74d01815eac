import { fieldAt } from "./foreign-value.ts";
import { type FactFields, learnFacts } from "./learn-facts.ts";
import type { ModelCallFormat } from "./model-call-format.ts";
import { addContent } from "./reading.ts";

const FACTS: FactFields = {
  modelVersion: "model",
  usageMetadata: {
    promptTokenCount: "input_tokens",
    toolUsePromptTokenCount: "+input_tokens",
    cachedContentTokenCount: "cached_input_tokens",
    candidatesTokenCount: "output_tokens",
    thoughtsTokenCount: "+output_tokens+reasoning_tokens",
  },
  candidates: { 0: { finishReason: "finish_reason" } },
  // A blocked prompt has no candidates.
  promptFeedback: { blockReason: "finish_reason" },
};

/**
 * Gemini's `generateContent`, also on Vertex. If there are several candidates, text and finish reason come from the
 * first one; the usage covers all. A message of a chat counts as one call. So do all requests that the library makes
 * for one call (continuations, automatic function calls).
 */
export const googleGenerateContent: ModelCallFormat = {
  provider: "google",
  // A chunk is a response too; its counts are cumulative.
  read: (response, reading) => {
    learnFacts(response, FACTS, reading);
    addContent(fieldAt(response, "candidates", 0, "content", "parts"), reading);
  },
};
