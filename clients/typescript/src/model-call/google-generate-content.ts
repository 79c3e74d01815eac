import { fieldAt } from "./foreign-value.ts";
import { type FactFields, learnFacts } from "./learn-facts.ts";
import type { ModelCallFormat } from "./model-call-format.ts";
import { addContent } from "./reading.ts";

const FACTS: FactFields = {
  modelVersion: "model",
  usageMetadata: {
    promptTokenCount: "input_tokens",
    toolUsePromptTokenCount: "input_tokens",
    cachedContentTokenCount: "cached_input_tokens",
    candidatesTokenCount: "output_tokens",
    thoughtsTokenCount: "output_tokens+reasoning_tokens",
  },
  candidates: { 0: { finishReason: "finish_reason" } },
  // A prompt that was blocked has no candidates.
  promptFeedback: { blockReason: "finish_reason" },
};

/**
 * `generateContent` of Gemini, on Vertex alike. Of several candidates the first one's text and finish reason are kept;
 * the usage is that of all. What the library makes of one call (continuations, automatic calls of functions) is one call.
 * Its chats keep the models that they were made with: their calls are not seen.
 */
export const googleGenerateContent: ModelCallFormat = {
  provider: "google",
  toRequest: (body) => {
    const contents = fieldAt(body, "contents");
    // Messages, or else a string or parts of one message of the user.
    const isMessages = fieldAt([contents].flat(), 0, "parts");
    return {
      model: fieldAt(body, "model"),
      messages: isMessages ? contents : { role: "user", content: contents },
      system: fieldAt(body, "config", "systemInstruction"),
    };
  },
  // A chunk is a response as well; its counts are cumulative.
  read: (response, reading) => {
    learnFacts(response, FACTS, reading);
    addContent(fieldAt(response, "candidates", 0, "content", "parts"), reading);
  },
};
