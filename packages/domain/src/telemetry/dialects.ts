/** What Assay reads from a model call or tool call. Each dialect lists the attributes that contain it. */
export type CallAttribute =
  | "model"
  | "requestedModel"
  | "provider"
  | "serviceTier"
  /** All input tokens. */
  | "inputTokens"
  /** Input tokens without cached ones, in dialects that count the two separately. */
  | "uncachedTokens"
  | "cacheReadTokens"
  | "cacheWriteTokens"
  | "audioInputTokens"
  /** All output tokens. */
  | "outputTokens"
  /** Output tokens without reasoning, in dialects that count the two separately. */
  | "answerTokens"
  | "reasoningTokens"
  | "audioOutputTokens"
  /** All tokens. If this is the sum of two counts, those two include everything, whatever the dialect says. */
  | "totalTokens"
  | "firstTokenMs"
  | "firstTokenSeconds"
  /** An RFC 3339 instant, which may be quoted as JSON. */
  | "firstTokenAt"
  | "isStream"
  | "finishReason"
  | "errorType"
  /** Text, or messages as JSON. */
  | "prompt"
  | "response"
  | "conversationId"
  /** The agent that made the call. */
  | "agentName"
  | "toolName"
  | "toolArguments"
  | "toolResult"
  | "temperature"
  | "topP"
  | "maxTokens"
  | "seed";

/** Messages in numbered attributes: `#` stands for the number of the message, `*` for the number of a part. */
export interface NumberedMessages {
  /** Before `.role` and `.content`. */
  readonly head: string;
  /** After the head: one of several texts of a message. Null if the dialect has none. */
  readonly part: string | null;
  /** After the head, before `.name` and `.arguments`: a tool call. */
  readonly tool: string;
}

/** Selects some of a dialect's spans by the value of an attribute. */
export interface SpanKinds {
  readonly attribute: string;
  readonly values: readonly string[];
}

/** How one family of instrumentations writes down a model call. */
export interface Dialect {
  readonly name: string;
  /** Grows when this table changes. */
  readonly version: number;
  /** A span that has one of these attributes belongs to this dialect. */
  readonly markers: readonly string[];
  /** The spans that are model calls. The dialect's other spans are steps around calls. */
  readonly calls: SpanKinds;
  /** The spans that are tool calls; absent: none. */
  readonly tools?: SpanKinds;
  /** The spans in which an agent works; the outermost one is a run. Absent: none. */
  readonly agents?: SpanKinds;
  /** The attribute that marks a failed call, in addition to the span's status. */
  readonly failure?: { readonly attribute: string; readonly value: string };
  /** Attributes that contain an object as JSON. Its fields are read as attributes with dotted names. */
  readonly objects?: readonly string[];
  /** The first attribute that is present counts. */
  readonly attributes: Readonly<Partial<Record<CallAttribute, readonly string[]>>>;
  readonly prompts?: NumberedMessages;
  readonly responses?: NumberedMessages;
  /** The attribute among `objects` that contains US dollars by kind. */
  readonly costs?: string;
  /** The event that marks the first token, if the span has such events. */
  readonly firstTokenEvent?: string;
}

const OPERATIONS = {
  attribute: "gen_ai.operation.name",
  values: ["chat", "text_completion", "generate_content", "embeddings"],
} as const;

const TOOLS: SpanKinds = { attribute: "gen_ai.operation.name", values: ["execute_tool"] };
const AGENTS: SpanKinds = { attribute: "gen_ai.operation.name", values: ["invoke_agent"] };

/** What all versions of the OpenTelemetry conventions have in common. */
const GEN_AI = {
  model: ["gen_ai.response.model"],
  requestedModel: ["gen_ai.request.model"],
  serviceTier: ["gen_ai.openai.response.service_tier", "openai.response.service_tier"],
  inputTokens: ["gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"],
  outputTokens: ["gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"],
  finishReason: ["gen_ai.response.finish_reasons"],
  errorType: ["error.type"],
  conversationId: ["gen_ai.conversation.id"],
  agentName: ["gen_ai.agent.name"],
  toolName: ["gen_ai.tool.name"],
  toolArguments: ["gen_ai.tool.call.arguments"],
  toolResult: ["gen_ai.tool.call.result"],
  temperature: ["gen_ai.request.temperature"],
  topP: ["gen_ai.request.top_p"],
  maxTokens: ["gen_ai.request.max_tokens"],
  seed: ["gen_ai.request.seed", "gen_ai.openai.request.seed"],
} as const;

/** Attributes that the conventions added over time. Some instrumentations used names of their own before. */
const NEWER = {
  cacheReadTokens: ["gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens"],
  cacheWriteTokens: ["gen_ai.usage.cache_creation.input_tokens", "gen_ai.usage.cache_creation_input_tokens"],
  reasoningTokens: ["gen_ai.usage.reasoning.output_tokens", "gen_ai.usage.reasoning_tokens"],
  firstTokenSeconds: ["gen_ai.response.time_to_first_chunk", "gen_ai.client.operation.time_to_first_chunk"],
  isStream: ["gen_ai.request.stream", "gen_ai.is_streaming", "llm.is_streaming"],
} as const;

const TEXTS = { prompt: ["gen_ai.input.messages"], response: ["gen_ai.output.messages"] } as const;

const openInferenceMessages = (head: string): NumberedMessages => ({
  head,
  part: "contents.*.message_content.text",
  tool: "tool_calls.*.tool_call.function",
});

/**
 * The dialects that Assay reads. A span belongs to the first dialect with a marker on it, so dialects that also write
 * OpenTelemetry's attributes come before OpenTelemetry itself.
 */
export const DIALECTS: readonly Dialect[] = [
  {
    name: "ai-sdk",
    version: 2,
    markers: ["ai.operationId"],
    // `ai.generateText` and similar spans are loops around these calls, and repeat the sum of their usage.
    calls: {
      attribute: "ai.operationId",
      values: [
        ...["ai.generateText.doGenerate", "ai.streamText.doStream"],
        ...["ai.generateObject.doGenerate", "ai.streamObject.doStream"],
        ...["ai.embed.doEmbed", "ai.embedMany.doEmbed"],
      ],
    },
    tools: { attribute: "ai.operationId", values: ["ai.toolCall"] },
    attributes: {
      model: ["ai.response.model", "gen_ai.response.model"],
      requestedModel: ["ai.model.id", "gen_ai.request.model"],
      provider: ["ai.model.provider", "gen_ai.system"],
      inputTokens: ["ai.usage.inputTokens", "ai.usage.promptTokens", "ai.usage.tokens"],
      cacheReadTokens: ["ai.usage.inputTokenDetails.cacheReadTokens", "ai.usage.cachedInputTokens"],
      cacheWriteTokens: ["ai.usage.inputTokenDetails.cacheWriteTokens"],
      outputTokens: ["ai.usage.outputTokens", "ai.usage.completionTokens"],
      reasoningTokens: ["ai.usage.outputTokenDetails.reasoningTokens", "ai.usage.reasoningTokens"],
      firstTokenMs: ["ai.response.msToFirstChunk"],
      finishReason: ["ai.response.finishReason"],
      errorType: ["error.type"],
      agentName: ["gen_ai.agent.name"],
      toolName: ["ai.toolCall.name"],
      toolArguments: ["ai.toolCall.args"],
      toolResult: ["ai.toolCall.result"],
      prompt: ["ai.prompt.messages", "ai.prompt"],
      response: ["ai.response.text", "ai.response.object", "ai.response.toolCalls"],
      temperature: ["ai.settings.temperature", "gen_ai.request.temperature"],
      topP: ["ai.settings.topP", "gen_ai.request.top_p"],
      maxTokens: ["ai.settings.maxOutputTokens", "ai.settings.maxTokens", "gen_ai.request.max_tokens"],
      seed: ["ai.settings.seed"],
    },
  },
  {
    name: "langfuse",
    version: 3,
    markers: ["langfuse.observation.type"],
    calls: { attribute: "langfuse.observation.type", values: ["generation", "embedding"] },
    agents: { attribute: "langfuse.observation.type", values: ["agent"] },
    failure: { attribute: "langfuse.observation.level", value: "ERROR" },
    objects: [
      "langfuse.observation.usage_details",
      "langfuse.observation.cost_details",
      "langfuse.observation.model.parameters",
    ],
    costs: "langfuse.observation.cost_details",
    attributes: {
      model: ["langfuse.observation.model.name", "gen_ai.response.model"],
      requestedModel: ["gen_ai.request.model"],
      // Langfuse's own form counts each token under one name, but its JavaScript SDK up to 3 counts parts twice, as the total shows.
      // OpenAI's form, which the Python SDK passes on, counts parts twice.
      totalTokens: ["langfuse.observation.usage_details.total"],
      uncachedTokens: ["langfuse.observation.usage_details.input"],
      inputTokens: [
        "langfuse.observation.usage_details.prompt_tokens",
        "langfuse.observation.usage_details.input_tokens",
      ],
      cacheReadTokens: [
        "langfuse.observation.usage_details.input_cached_tokens",
        "langfuse.observation.usage_details.input_cache_read",
        "langfuse.observation.usage_details.cache_read_input_tokens",
        "langfuse.observation.usage_details.prompt_tokens_details.cached_tokens",
        "langfuse.observation.usage_details.input_tokens_details.cached_tokens",
      ],
      cacheWriteTokens: [
        "langfuse.observation.usage_details.input_cache_creation",
        "langfuse.observation.usage_details.cache_creation_input_tokens",
      ],
      answerTokens: ["langfuse.observation.usage_details.output"],
      outputTokens: [
        "langfuse.observation.usage_details.completion_tokens",
        "langfuse.observation.usage_details.output_tokens",
      ],
      reasoningTokens: [
        "langfuse.observation.usage_details.output_reasoning_tokens",
        "langfuse.observation.usage_details.output_reasoning",
        "langfuse.observation.usage_details.completion_tokens_details.reasoning_tokens",
        "langfuse.observation.usage_details.output_tokens_details.reasoning_tokens",
      ],
      firstTokenAt: ["langfuse.observation.completion_start_time"],
      isStream: ["langfuse.observation.model.parameters.stream"],
      errorType: ["error.type"],
      prompt: ["langfuse.observation.input"],
      response: ["langfuse.observation.output"],
      conversationId: ["session.id"],
      temperature: ["langfuse.observation.model.parameters.temperature"],
      topP: ["langfuse.observation.model.parameters.top_p"],
      maxTokens: ["langfuse.observation.model.parameters.max_tokens"],
      seed: ["langfuse.observation.model.parameters.seed"],
    },
  },
  {
    name: "openinference",
    version: 3,
    markers: ["openinference.span.kind"],
    calls: { attribute: "openinference.span.kind", values: ["LLM", "EMBEDDING"] },
    tools: { attribute: "openinference.span.kind", values: ["TOOL"] },
    agents: { attribute: "openinference.span.kind", values: ["AGENT"] },
    objects: ["llm.invocation_parameters"],
    attributes: {
      model: ["llm.model_name", "embedding.model_name"],
      requestedModel: ["llm.invocation_parameters.model"],
      provider: ["llm.provider", "llm.system"],
      inputTokens: ["llm.token_count.prompt"],
      cacheReadTokens: ["llm.token_count.prompt_details.cache_read"],
      cacheWriteTokens: ["llm.token_count.prompt_details.cache_write"],
      audioInputTokens: ["llm.token_count.prompt_details.audio"],
      outputTokens: ["llm.token_count.completion"],
      reasoningTokens: ["llm.token_count.completion_details.reasoning"],
      audioOutputTokens: ["llm.token_count.completion_details.audio"],
      isStream: ["llm.invocation_parameters.stream"],
      finishReason: ["llm.finish_reason"],
      errorType: ["error.type"],
      agentName: ["agent.name", "gen_ai.agent.name"],
      toolName: ["tool.name"],
      toolArguments: ["input.value", "tool.parameters"],
      toolResult: ["output.value"],
      prompt: ["input.value"],
      response: ["output.value"],
      conversationId: ["session.id"],
      temperature: ["llm.invocation_parameters.temperature"],
      topP: ["llm.invocation_parameters.top_p"],
      maxTokens: ["llm.invocation_parameters.max_tokens", "llm.invocation_parameters.max_completion_tokens"],
      seed: ["llm.invocation_parameters.seed"],
    },
    prompts: openInferenceMessages("llm.input_messages.#.message"),
    responses: openInferenceMessages("llm.output_messages.#.message"),
    firstTokenEvent: "First Token Stream Event",
  },
  {
    name: "openllmetry",
    version: 3,
    markers: ["llm.request.type", "traceloop.span.kind"],
    calls: { attribute: "llm.request.type", values: ["chat", "completion", "embedding"] },
    tools: { attribute: "traceloop.span.kind", values: ["tool"] },
    agents: { attribute: "traceloop.span.kind", values: ["agent"] },
    attributes: {
      ...GEN_AI,
      ...NEWER,
      ...TEXTS,
      provider: ["gen_ai.provider.name", "gen_ai.system"],
      finishReason: ["gen_ai.response.finish_reasons", "gen_ai.completion.0.finish_reason"],
      toolName: ["gen_ai.tool.name", "traceloop.entity.name"],
      toolArguments: ["gen_ai.tool.call.arguments", "traceloop.entity.input"],
      toolResult: ["gen_ai.tool.call.result", "traceloop.entity.output"],
    },
    prompts: { head: "gen_ai.prompt.#", part: null, tool: "tool_calls.*" },
    responses: { head: "gen_ai.completion.#", part: null, tool: "tool_calls.*" },
    firstTokenEvent: "llm.content.completion.chunk",
  },
  {
    name: "opentelemetry-newest",
    version: 3,
    markers: [
      ...NEWER.cacheReadTokens,
      ...NEWER.cacheWriteTokens,
      ...NEWER.reasoningTokens,
      ...NEWER.firstTokenSeconds,
      ...NEWER.isStream,
    ],
    calls: OPERATIONS,
    tools: TOOLS,
    agents: AGENTS,
    attributes: { ...GEN_AI, ...NEWER, ...TEXTS, provider: ["gen_ai.provider.name", "gen_ai.system"] },
    firstTokenEvent: "gen_ai.content.completion.chunk",
  },
  {
    name: "opentelemetry-1.37",
    version: 3,
    markers: ["gen_ai.provider.name"],
    calls: OPERATIONS,
    tools: TOOLS,
    agents: AGENTS,
    attributes: { ...GEN_AI, ...TEXTS, provider: ["gen_ai.provider.name"] },
  },
  {
    name: "opentelemetry-1.36",
    version: 3,
    markers: ["gen_ai.system", "gen_ai.operation.name"],
    calls: OPERATIONS,
    tools: TOOLS,
    agents: AGENTS,
    attributes: {
      ...GEN_AI,
      provider: ["gen_ai.system"],
      prompt: ["gen_ai.prompt"],
      response: ["gen_ai.completion"],
    },
  },
];
