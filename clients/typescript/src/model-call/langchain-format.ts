import { fieldAt, textAt } from "./foreign-value.ts";
import { type FactFields, learnFacts } from "./learn-facts.ts";
import type { ModelCallFormat } from "./model-call-format.ts";
import { addContent, startReading } from "./reading.ts";

const ROLES: Readonly<Record<string, string>> = { human: "user", ai: "assistant" };

/** Where LangChain's integrations put the provider's usage; later places take precedence. */
const FACTS: FactFields = {
  generationInfo: { finish_reason: "finish_reason" },
  message: {
    usage_metadata: {
      input_tokens: "input_tokens",
      input_token_details: {
        audio: "audio_input_tokens",
        cache_read: "cached_input_tokens",
        cache_creation: "cache_write_5m_tokens",
      },
      output_tokens: "output_tokens",
      output_token_details: { audio: "audio_output_tokens", reasoning: "reasoning_tokens" },
    },
    // From an Anthropic stream.
    additional_kwargs: { model: "model", stop_reason: "finish_reason" },
    response_metadata: {
      model: "model",
      model_name: "model",
      stop_reason: "finish_reason",
      finish_reason: "finish_reason",
      service_tier: "service_tier",
      // Anthropic's count of those cached tokens that are kept for an hour. They are a part of all tokens written to the cache.
      usage: {
        cache_creation: { ephemeral_1h_input_tokens: "cache_write_1h_tokens-cache_write_5m_tokens" },
      },
    },
  },
};
/** From a chunk's usage. */
const INPUT: FactFields = { input_tokens: "input_tokens" };
const OUTPUT: FactFields = { output_tokens: "output_tokens" };
/** Anthropic's count, which only whole answers have. */
const REASONING: FactFields = {
  message: {
    response_metadata: { usage: { output_tokens_details: { thinking_tokens: "reasoning_tokens" } } },
  },
};
/** For models without chat. */
const COUNTS: FactFields = {
  llmOutput: { tokenUsage: { promptTokens: "input_tokens", completionTokens: "output_tokens" } },
};

/** LangChain's data at the start of a run; each part may have any shape. */
export interface LangchainStart {
  /** The model, serialized. */
  readonly model: unknown;
  /** Messages, or one text. */
  readonly input: unknown;
  readonly extra: unknown;
  readonly metadata: unknown;
}

/** Returns the request of a run. */
export function langchainRequest({ input, extra, metadata }: LangchainStart): object {
  const config = fieldAt(extra, "invocation_params");
  const model = textAt(config, "model") || textAt(metadata, "ls_model_name");
  return { config, model, messages: Array.isArray(input) ? input.map(toMessage) : input };
}

/** Creates the format of a run. Its answers are `{ token, chunk }`, then an `LLMResult`. `agentName` is the calling agent. */
export function langchainFormat({ model, metadata }: LangchainStart, agentName?: string): ModelCallFormat {
  const isAnthropic = textAt(metadata, "ls_provider") === "anthropic";
  return {
    provider: textAt(metadata, "ls_provider") || undefined,
    read: (answer, reading) => {
      reading.baseUrl = textAt(model, "kwargs", "configuration", "baseURL");
      const { facts } = reading;
      if (agentName) facts.agent_name = agentName;
      addContent(textAt(answer, "token"), reading);
      // The chunk with the last count has no input tokens. The first chunk's output tokens are not final.
      const counts = fieldAt(answer, "chunk", "message", "usage_metadata");
      if (isAnthropic) learnFacts(counts, fieldAt(counts, "input_tokens") === 0 ? OUTPUT : INPUT, reading);
      const generations = fieldAt(answer, "generations");
      if (!Array.isArray(generations)) return;
      const streamed = facts.output_tokens;
      learnFacts(answer, COUNTS, reading);
      // With n > 1, each choice reports the usage of all choices.
      const [first] = generations.flat();
      learnFacts(first, FACTS, reading);
      if (isAnthropic && streamed == null) learnFacts(first, REASONING, reading);
      // For an Anthropic stream, LangChain adds the first count to the last one, which already includes it.
      facts.output_tokens = streamed ?? facts.output_tokens;
      // The streamed tokens lack the tool calls, so the whole message replaces them.
      const whole = startReading({});
      const message = fieldAt(first, "message");
      addContent(message ? toMessage(message) : fieldAt(first, "text"), whole);
      facts.response = whole.facts.response || facts.response;
      // If the provider does not count the input, some integrations report 0 or NaN, with parts of 0.
      if (!facts.input_tokens) {
        facts.input_tokens = facts.cached_input_tokens = facts.cache_write_5m_tokens = undefined;
        facts.output_tokens ||= undefined;
      }
    },
  };
}

/** Some providers repeat tool calls in the content. */
function toMessage(message: unknown): unknown {
  const [content, calls] = [fieldAt(message, "content"), fieldAt(message, "tool_calls")];
  const type = textAt(message, "type");
  const isCall = (part: unknown) => /^(tool_use|function_call|tool_call)$/.test(textAt(part, "type"));
  const hasCalls = Array.isArray(calls) && calls.length > 0;
  return {
    role: ROLES[type] ?? type,
    content: hasCalls && Array.isArray(content) ? content.filter((part) => !isCall(part)) : content,
    tool_calls: hasCalls ? calls : undefined,
  };
}
