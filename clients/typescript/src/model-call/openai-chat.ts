import { fieldAt, textAt } from "./foreign-value.ts";
import { learnFacts } from "./learn-facts.ts";
import type { ModelCallFormat, Reading } from "./model-call-format.ts";
import { openaiFacts } from "./openai-facts.ts";
import { addArguments, addContent, beginPart } from "./reading.ts";

const ANSWER = openaiFacts("prompt_tokens", "completion_tokens");
const COST = { usage: { cost: "cost_usd" } } as const;

/**
 * Chat completions and legacy completions of OpenAI, Azure and compatible APIs. If there are several choices, text and finish reason
 * are the first one's; the usage covers all.
 */
export const openaiChat: ModelCallFormat = {
  provider: "openai",
  read: readAnswer,
  // Without this option a stream does not report usage. The caller's own setting takes precedence.
  askUsage: ([body, ...rest]) => {
    const options = fieldAt(body, "stream_options") as object;
    if (!fieldAt(body, "stream") || typeof fieldAt(options, "include_usage") === "boolean") return null;
    return [{ ...(body as object), stream_options: { ...options, include_usage: true } }, ...rest];
  },
  isUsageOnly: (chunk) => fieldAt(chunk, "choices", "length") === 0 && Boolean(fieldAt(chunk, "usage")),
};

/** A chunk has a `delta` where a whole answer has a `message`. */
function readAnswer(answer: unknown, reading: Reading): void {
  const choices = fieldAt(answer, "choices");
  if (!Array.isArray(choices)) return;
  learnFacts(answer, ANSWER, reading);
  // OpenRouter states the cost; of a call with the caller's own key only its fee.
  if (fieldAt(answer, "usage", "is_byok") !== true) learnFacts(answer, COST, reading);
  const first = choices.find((choice) => !fieldAt(choice, "index"));
  addContent(fieldAt(first, "message") || textAt(first, "text"), reading);
  readDelta(fieldAt(first, "delta"), reading);
  const reason = textAt(first, "finish_reason");
  if (!reason) return;
  reading.facts.finish_reason = reason;
  beginPart(null, reading);
}

/**
 * Text is added as it arrives. A tool call is added when it is complete: when another one starts, or the
 * choice ends.
 */
function readDelta(delta: unknown, reading: Reading): void {
  const text =
    fieldAt(delta, "content") || fieldAt(delta, "refusal") || fieldAt(delta, "audio", "transcript");
  addContent(text, reading);
  for (const call of [fieldAt(delta, "tool_calls") ?? []].flat()) {
    const called = fieldAt(call, "function");
    if (textAt(called, "name")) beginPart({ ...(called as object), arguments: "" }, reading);
    addArguments(textAt(called, "arguments"), reading);
  }
}
