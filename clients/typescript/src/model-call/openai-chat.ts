import { fieldAt, textAt } from "./foreign-value.ts";
import type { ModelCallFormat } from "./model-call-format.ts";
import { learnOpenai } from "./openai-facts.ts";
import { addContent, addPart, endParts } from "./reading.ts";

/**
 * Chat completions, legacy completions and embeddings of OpenAI, Azure and compatible APIs. If there are several choices, text and
 * finish reason come from the first one; the usage covers all. An embedding has no text and no output tokens.
 */
export const openaiChat: ModelCallFormat = {
  provider: "openai",
  /** A chunk has a `delta` where a whole answer has a `message`. */
  read: (answer, reading) => {
    const isEmbedding = fieldAt(answer, "data", 0, "object") === "embedding";
    const choices = isEmbedding ? [] : fieldAt(answer, "choices");
    if (!Array.isArray(choices)) return;
    if (isEmbedding) reading.facts.output_tokens = 0;
    learnOpenai(answer, reading);
    const first = choices.find((choice) => !fieldAt(choice, "index"));
    const delta = fieldAt(first, "delta");
    const text = fieldAt(first, "message") || textAt(first, "text") || fieldAt(delta, "content");
    addContent(text || fieldAt(delta, "refusal") || fieldAt(delta, "audio", "transcript"), reading);
    // Several tool calls may arrive at the same time. They are added when the choice ends.
    for (const call of [fieldAt(delta, "tool_calls") ?? []].flat()) {
      const called = fieldAt(call, "function");
      const part = textAt(called, "name") && { ...(called as object), arguments: "" };
      addPart(fieldAt(call, "index") as number, part, textAt(called, "arguments"), reading);
    }
    const reason = textAt(first, "finish_reason");
    if (!reason) return;
    reading.facts.finish_reason = reason;
    endParts(reading);
  },
  // Without this option a stream does not report usage. The caller's own setting takes precedence.
  askUsage: ([body, ...rest]) => {
    const options = fieldAt(body, "stream_options") as object;
    if (!fieldAt(body, "stream") || typeof fieldAt(options, "include_usage") === "boolean") return null;
    return [{ ...(body as object), stream_options: { ...options, include_usage: true } }, ...rest];
  },
  isUsage: (chunk) => fieldAt(chunk, "choices", "length") === 0 && fieldAt(chunk, "usage"),
};
