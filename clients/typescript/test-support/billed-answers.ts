/** The answers of `BillingProvider` in the wire formats of OpenAI, Anthropic and Google. */

export const TEXT = ["A share ", "of all ", "the users ", "of it."] as const;
const WHOLE = TEXT.join("");

export type Bill = Record<string, number>;

/** How the provider behaves; by default it answers with text. */
export interface Behavior {
  /** How many requests get the `status` first. */
  readonly failures?: number;
  readonly status?: number;
  readonly reasons?: boolean;
  readonly caches?: boolean;
  /** Streams stop after their first text. */
  readonly stalls?: boolean;
  /** Chat completions call the tools one after the other, instead of all at once. */
  readonly oneByOne?: boolean;
}

/** Bodies have any shape. */
type Json = ReturnType<typeof JSON.parse>;

export interface Answer {
  readonly whole: Json;
  /** Of a stream; null: the answer comes whole. */
  readonly events: Iterable<Json | string> | null;
}

/**
 * Answers with text; with one call of each tool that is offered, until the results come; and with an object when a schema asks for one.
 */
export function answerOf(url: string, body: Json, bill: (kind: string) => Bill): Answer {
  if (/\/embeddings|mbedContent/.test(url))
    return { whole: embeddings(url, body, bill("embedding")), events: null };
  if (url.includes("/messages")) {
    const whole = message(body, bill("anthropic"));
    return { whole, events: body.stream ? messageEvents(whole) : null };
  }
  if (url.includes("enerateContent")) {
    const whole = content(url, body, bill("google"));
    return { whole, events: url.includes(":stream") ? contentEvents(whole) : null };
  }
  if (url.endsWith("/responses")) {
    const whole = response(body, bill("openai"));
    return { whole, events: body.stream ? responseEvents(whole) : null };
  }
  const whole = completion(body, bill("openai"));
  return { whole, events: body.stream ? chunks(whole, body.stream_options?.include_usage === true) : null };
}

/** An object that has the schema's fields, which are texts. */
const filled = (schema: Json | undefined) =>
  Object.fromEntries(Object.keys(schema?.properties ?? {}).map((name) => [name, "yes"]));

/** The pieces of a text in a stream. */
const pieces = (said: string): readonly string[] => (said === WHOLE ? TEXT : [said]);

function embeddings(url: string, body: Json, bill: Bill): Json {
  if (url.includes("mbedContent")) return { embeddings: [{ values: [0.1, 0.2] }] };
  const data = [body.input].flat().map((_, index) => ({ object: "embedding", index, embedding: [0.1, 0.2] }));
  const usage = { prompt_tokens: bill.input_tokens, total_tokens: bill.input_tokens };
  return { object: "list", model: body.model, data, usage };
}

/** The request as if it offered only the tool that has not answered yet, and had no answers. */
export function withNextTool(body: Json): Json {
  const answered = body.messages.filter(({ role }: Json) => role === "tool").length;
  return { ...body, tools: body.tools?.slice(answered, answered + 1), messages: [{ role: "user" }] };
}

function completion(body: Json, bill: Bill): Json {
  const isAsked = body.tools?.length > 0 && body.messages.at(-1).role !== "tool";
  const schema = body.response_format?.json_schema?.schema;
  const message: Json = { role: "assistant", content: WHOLE, refusal: null };
  if (isAsked) {
    message.content = null;
    message.tool_calls = body.tools.map(({ function: { name, parameters } }: Json) => ({
      ...{ id: `call_${name}`, type: "function" },
      function: { name, arguments: JSON.stringify(filled(parameters)) },
    }));
  } else if (schema) message.content = JSON.stringify(filled(schema));
  const choices = Array.from({ length: body.n ?? 1 }, (_, index) => ({
    ...{ index, message, logprobs: null, finish_reason: isAsked ? "tool_calls" : "stop" },
  }));
  const usage = {
    prompt_tokens: bill.input_tokens,
    completion_tokens: bill.output_tokens,
    total_tokens: bill.input_tokens! + bill.output_tokens!,
    prompt_tokens_details: { cached_tokens: bill.cached_input_tokens ?? 0 },
    completion_tokens_details: { reasoning_tokens: bill.reasoning_tokens ?? 0 },
  };
  return {
    id: `c${bill.input_tokens}`,
    object: "chat.completion",
    created: 1,
    model: body.model,
    choices,
    usage,
  };
}

function* chunks({ usage, choices, ...rest }: Json, hasUsage: boolean): Iterable<Json | string> {
  const head = { ...rest, object: "chat.completion.chunk", ...(hasUsage && { usage: null }) };
  for (const { index, message, finish_reason } of choices) {
    const chunk = (delta: Json, reason: string | null = null) => ({
      ...head,
      choices: [{ index, delta, finish_reason: reason }],
    });
    yield chunk({ role: "assistant", content: "" });
    for (const [at, call] of (message.tool_calls ?? []).entries()) {
      yield chunk({ tool_calls: [{ ...call, index: at }] });
    }
    if (message.content) for (const piece of pieces(message.content)) yield chunk({ content: piece });
    yield chunk({}, finish_reason);
  }
  if (hasUsage) yield { ...head, choices: [], usage };
  yield "[DONE]";
}

function response(body: Json, bill: Bill): Json {
  const isAsked = body.tools?.length > 0 && [body.input].flat().at(-1)?.type !== "function_call_output";
  const schema = body.text?.format?.schema;
  const said = schema ? JSON.stringify(filled(schema)) : WHOLE;
  const output = isAsked
    ? body.tools.map(({ name, parameters }: Json, index: number) => ({
        ...{ type: "function_call", id: `fc_${index}`, call_id: `call_${index}`, status: "completed", name },
        arguments: JSON.stringify(filled(parameters)),
      }))
    : [
        {
          ...{ type: "message", id: "msg_1", role: "assistant", status: "completed" },
          content: [{ type: "output_text", text: said, annotations: [] }],
        },
      ];
  const usage = {
    input_tokens: bill.input_tokens,
    input_tokens_details: { cached_tokens: bill.cached_input_tokens ?? 0 },
    output_tokens: bill.output_tokens,
    output_tokens_details: { reasoning_tokens: bill.reasoning_tokens ?? 0 },
    total_tokens: bill.input_tokens! + bill.output_tokens!,
  };
  const head = { id: "resp_1", object: "response", created_at: 1, model: body.model, status: "completed" };
  return {
    ...head,
    output,
    usage,
    error: null,
    incomplete_details: null,
    tools: [],
    parallel_tool_calls: true,
  };
}

function* responseEvents(whole: Json): Iterable<Json> {
  let sequence = 0;
  const event = (type: string, more: Json) => ({ type, sequence_number: sequence++, ...more });
  const begun = { ...whole, status: "in_progress", output: [], usage: null };
  yield event("response.created", { response: begun });
  for (const [output_index, item] of whole.output.entries()) {
    const at = { output_index, item_id: item.id };
    const part = { content_index: 0, part: { type: "output_text", text: "", annotations: [] } };
    const isMessage = item.type === "message";
    const empty = isMessage ? { content: [] } : { arguments: "" };
    yield event("response.output_item.added", {
      output_index,
      item: { ...item, status: "in_progress", ...empty },
    });
    if (isMessage) {
      const { text } = item.content[0];
      yield event("response.content_part.added", { ...at, ...part });
      for (const delta of pieces(text)) {
        yield event("response.output_text.delta", { ...at, content_index: 0, delta, logprobs: [] });
      }
      yield event("response.output_text.done", { ...at, content_index: 0, text, logprobs: [] });
      yield event("response.content_part.done", { ...at, content_index: 0, part: item.content[0] });
    } else {
      yield event("response.function_call_arguments.delta", { ...at, delta: item.arguments });
      yield event("response.function_call_arguments.done", {
        ...at,
        arguments: item.arguments,
        name: item.name,
      });
    }
    yield event("response.output_item.done", { output_index, item });
  }
  yield event("response.completed", { response: whole });
}

function message(body: Json, bill: Bill): Json {
  const last = body.messages.at(-1).content;
  const hasResults = Array.isArray(last) && last.some(({ type }: Json) => type === "tool_result");
  const isAsked = body.tools?.length > 0 && !hasResults;
  const schema = (body.output_format ?? body.output_config?.format)?.schema;
  const content = isAsked
    ? body.tools.map(({ name, input_schema }: Json, index: number) => ({
        ...{ type: "tool_use", id: `call_${index}`, name, input: filled(input_schema) },
      }))
    : [{ type: "text", text: schema ? JSON.stringify(filled(schema)) : WHOLE }];
  const { cached_input_tokens: read = 0, cache_write_5m_tokens: written = 0 } = bill;
  const usage = {
    input_tokens: bill.input_tokens! - read - written,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
    output_tokens: bill.output_tokens,
    ...(bill.reasoning_tokens && { output_tokens_details: { thinking_tokens: bill.reasoning_tokens } }),
  };
  const reason = { stop_reason: isAsked ? "tool_use" : "end_turn", stop_sequence: null };
  return { id: "m1", type: "message", role: "assistant", model: body.model, content, ...reason, usage };
}

function* messageEvents(whole: Json): Iterable<Json> {
  const { output_tokens_details: _, ...known } = whole.usage;
  const usage = { ...known, output_tokens: 1 };
  yield { type: "message_start", message: { ...whole, content: [], stop_reason: null, usage } };
  for (const [index, block] of whole.content.entries()) {
    const isText = block.type === "text";
    const empty = isText ? { text: "" } : { input: {} };
    yield { type: "content_block_start", index, content_block: { ...block, ...empty } };
    const deltas = isText
      ? pieces(block.text).map((text) => ({ type: "text_delta", text }))
      : [{ type: "input_json_delta", partial_json: JSON.stringify(block.input) }];
    for (const delta of deltas) yield { type: "content_block_delta", index, delta };
    yield { type: "content_block_stop", index };
  }
  const delta = { stop_reason: whole.stop_reason, stop_sequence: null };
  yield { type: "message_delta", delta, usage: whole.usage };
  yield { type: "message_stop" };
}

function content(url: string, body: Json, bill: Bill): Json {
  const tools = (body.tools ?? []).flatMap(({ functionDeclarations }: Json) => functionDeclarations ?? []);
  const hasResults = body.contents.at(-1).parts.some((part: Json) => "functionResponse" in part);
  const { responseJsonSchema, responseSchema, candidateCount = 1 } = body.generationConfig ?? {};
  const schema = responseJsonSchema ?? responseSchema;
  const parts =
    tools.length > 0 && !hasResults
      ? tools.map(({ name, parametersJsonSchema, parameters }: Json) => ({
          functionCall: { name, args: filled(parametersJsonSchema ?? parameters) },
        }))
      : [{ text: schema ? JSON.stringify(filled(schema)) : WHOLE }];
  const candidates = Array.from({ length: candidateCount }, (_, index) => ({
    ...{ index, content: { role: "model", parts }, finishReason: "STOP" },
  }));
  const thought = bill.reasoning_tokens ?? 0;
  const usageMetadata = {
    promptTokenCount: bill.input_tokens,
    candidatesTokenCount: bill.output_tokens! - thought,
    totalTokenCount: bill.input_tokens! + bill.output_tokens!,
    ...(thought && { thoughtsTokenCount: thought }),
    ...(bill.cached_input_tokens && { cachedContentTokenCount: bill.cached_input_tokens }),
  };
  return { candidates, usageMetadata, modelVersion: /models\/([^:]+)/.exec(url)?.[1] };
}

function* contentEvents(whole: Json): Iterable<Json> {
  const { parts } = whole.candidates[0].content;
  const said = parts[0].text === WHOLE ? TEXT.map((text) => ({ text })) : parts;
  const chunk = (part: readonly Json[], more: Json = {}) => ({
    candidates: [{ index: 0, content: { role: "model", parts: part }, ...more }],
    modelVersion: whole.modelVersion,
  });
  for (const part of said) yield chunk([part]);
  yield { ...chunk([], { finishReason: "STOP" }), usageMetadata: whole.usageMetadata };
}
