import { createOpenAI } from "@ai-sdk/openai";
import {
  embedMany,
  experimental_streamTextLowMemory,
  generateObject,
  generateText,
  jsonSchema,
  stepCountIs,
  streamText,
  tool,
  wrapEmbeddingModel,
  wrapLanguageModel,
} from "ai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  CHAT,
  chunk,
  completion,
  eventStream,
  HELLO,
  IDENTITY,
  type Observed,
  OPENAI_CALL,
  startObserved,
  USAGE_CHUNK,
} from "../../test-support/model-call-fixture.ts";
import { middleware } from "../ai-sdk.ts";

Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

let observed: Observed;
let plain: ReturnType<ReturnType<typeof createOpenAI>["chat"]>;
let model: typeof plain;
beforeEach(async () => {
  observed = await startObserved();
  observed.server.script(CHAT, completion());
  plain = createOpenAI({ apiKey: "k", baseURL: `${observed.server.url}/v1` }).chat("gpt-5-mini");
  model = wrapLanguageModel({ model: plain, middleware: recording() });
});
afterEach(() => observed.stop());

const recording = () => middleware(observed.client, "greeting", { user: "ada" });

const ms = expect.any(Number);
const ASK = { prompt: "Say hello" };
const EXPOSURE = { ...IDENTITY, type: "exposure" };
/** The AI SDK reports its provider by name, not by base URL. */
const CALL = { ...OPENAI_CALL, provider: "openai", prompt: "user: Say hello" };
const STREAMED = { ...CALL, time_to_first_token_ms: ms };

describe("generateText", () => {
  test("is recorded", async () => {
    expect((await generateText({ model, ...ASK })).text).toBe("Hello you");
    expect(await observed.events()).toEqual([EXPOSURE, CALL]);
  });

  test("with the middleware twice is recorded once", async () => {
    await generateText({ model: wrapLanguageModel({ model, middleware: recording() }), ...ASK });
    expect(await observed.events()).toEqual([EXPOSURE, CALL]);
  });

  test("belongs to the user of withUser", async () => {
    const shared = wrapLanguageModel({ model: plain, middleware: middleware(observed.client, "greeting") });
    await observed.client.withUser("ada", () => generateText({ model: shared, ...ASK }));
    expect(await observed.events()).toEqual([EXPOSURE, CALL]);
  });

  test("with tools is a call per step", async () => {
    const toolCall = { id: "t1", type: "function", function: { name: "find", arguments: '{"q":1}' } };
    const message = { role: "assistant", content: null, tool_calls: [toolCall] };
    const choices = [{ index: 0, message, finish_reason: "tool_calls" }];
    observed.server.script(CHAT, completion({ choices }), completion());
    const inputSchema = jsonSchema<{ q: number }>({ type: "object" });
    const tools = { find: tool({ description: "Finds", inputSchema, execute: () => ({ found: 42 }) }) };
    expect((await generateText({ model, ...ASK, tools, stopWhen: stepCountIs(2) })).text).toBe("Hello you");
    const said = '[tool_call find({"q":1})]';
    const prompt = `user: Say hello\n\nassistant: ${said}\n\ntool: {"found":42}`;
    expect(await observed.events()).toEqual([
      EXPOSURE,
      { ...CALL, finish_reason: "tool-calls", response: said },
      EXPOSURE,
      { ...CALL, prompt },
    ]);
  });

  test("that fails rejects with what it would", async () => {
    observed.server.script(CHAT, { status: 400, body: { error: { message: "Bad" } } });
    await expect(generateText({ model, ...ASK })).rejects.toMatchObject({
      name: "AI_APICallError",
      statusCode: 400,
    });
    expect((await observed.events())[1]).toMatchObject({ error: true, error_type: "AI_APICallError" });
  });
});

test("embedMany is recorded", async () => {
  const data = ["Hi", "Ho"].map((_, index) => ({ object: "embedding", index, embedding: [0.5] }));
  const body = {
    object: "list",
    model: "text-embedding-3-small",
    data,
    usage: { prompt_tokens: 2, total_tokens: 2 },
  };
  observed.server.script("/v1/embeddings", { status: 200, body });
  const embedder = createOpenAI({ apiKey: "k", baseURL: `${observed.server.url}/v1` }).embedding(body.model);
  const { embeddings } = await embedMany({
    model: wrapEmbeddingModel({ model: embedder, middleware: recording() }),
    values: ["Hi", "Ho"],
  });
  expect(embeddings).toEqual([[0.5], [0.5]]);
  const [exposure, call] = await observed.events();
  expect(exposure).toEqual(EXPOSURE);
  expect(call).toMatchObject({
    requested_model: body.model,
    prompt: "user: Hi\n\nuser: Ho",
    input_tokens: 2,
    output_tokens: 0,
  });
  expect(call).not.toHaveProperty("response");
});

test("generateObject is recorded", async () => {
  const choices = [{ index: 0, message: { role: "assistant", content: '{"a":1}' }, finish_reason: "stop" }];
  observed.server.script(CHAT, completion({ choices }));
  const schema = jsonSchema<{ a: number }>({ type: "object", properties: { a: { type: "number" } } });
  expect((await generateObject({ model, ...ASK, schema })).object).toEqual({ a: 1 });
  expect(await observed.events()).toEqual([EXPOSURE, { ...CALL, response: '{"a":1}' }]);
});

describe("streamText", () => {
  beforeEach(() => observed.server.script(CHAT, eventStream([...HELLO, USAGE_CHUNK])));

  test("is recorded when it ends", async () => {
    const { textStream } = streamText({ model, ...ASK });
    const texts: string[] = [];
    for await (const text of textStream) texts.push(text);
    expect(texts).toEqual(["Hello", " you"]);
    expect(await observed.events()).toEqual([EXPOSURE, STREAMED]);
  });

  test("that is aborted is recorded as aborted", async () => {
    observed.server.script(CHAT, eventStream(HELLO.slice(0, 1), "hang"));
    const controller = new AbortController();
    const { textStream } = streamText({ model, ...ASK, abortSignal: controller.signal });
    for await (const _ of textStream) controller.abort();
    expect((await observed.events())[1]).toMatchObject({
      error: false,
      response: "Hello",
      metadata: { outcome: "aborted" },
    });
  });

  test("of low memory, which passes an early break on, is recorded as aborted", async () => {
    observed.server.script(CHAT, eventStream(HELLO.slice(0, 1), "hang"));
    const { textStream } = experimental_streamTextLowMemory({ model, ...ASK });
    for await (const _ of textStream) break;
    // The break passes through several streams first.
    await expect
      .poll(async () => (await observed.events())[1])
      .toMatchObject({
        error: false,
        response: "Hello",
        metadata: { outcome: "aborted" },
      });
  });

  test("that breaks off fails as it would, and is an error", async () => {
    observed.server.script(CHAT, eventStream(HELLO.slice(0, 1), "reset"));
    const failureOf = (of: typeof plain) =>
      drain(streamText({ model: of, ...ASK, onError: () => {} }).fullStream).catch(
        (error: Error) => error.message,
      );
    expect(await failureOf(model)).toBe(await failureOf(plain));
    expect((await observed.events())[1]).toMatchObject({ error: true, response: "Hello" });
  });

  test("whose provider reports an error is an error", async () => {
    const error = { error: { message: "Overloaded", type: "server_error", code: "overloaded", param: null } };
    observed.server.script(CHAT, eventStream([...HELLO.slice(0, 1), error]));
    await drain(streamText({ model, ...ASK, onError: () => {} }).fullStream);
    expect((await observed.events())[1]).toMatchObject({ error: true, response: "Hello" });
  });

  test("leaves out thoughts and keeps calls of tools", async () => {
    const call = { index: 0, id: "t1", type: "function", function: { name: "find", arguments: '{"q":1}' } };
    const called = chunk(null, {
      choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }],
    });
    const end = chunk(null, { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] });
    observed.server.script(CHAT, eventStream([chunk("Wait."), called, end, USAGE_CHUNK]));
    const tools = { find: tool({ inputSchema: jsonSchema<{ q: number }>({ type: "object" }) }) };
    await drain(streamText({ model, ...ASK, tools }).fullStream);
    const response = 'Wait.\n[tool_call find({"q":1})]';
    expect((await observed.events())[1]).toEqual({ ...STREAMED, finish_reason: "tool-calls", response });
  });
});

describe("the stream of a model", () => {
  const finish = { type: "finish", finishReason: "stop", usage: {} };
  const parts = [
    { type: "text-delta", id: "1", delta: "a" },
    { type: "text-delta", id: "1", delta: "b" },
    finish,
  ];

  test("is read no further than it is asked for, and a cancel passes through", async () => {
    let pulls = 0;
    const reasons: unknown[] = [];
    const source = new ReadableStream<unknown>(
      { pull: (controller) => controller.enqueue(parts[pulls++]), cancel: (why) => void reasons.push(why) },
      { highWaterMark: 0 },
    );
    const { stream } = await callStream(source);
    const reader = stream.getReader();
    expect(pulls).toBe(0);
    expect((await reader.read()).value).toBe(parts[0]);
    expect(pulls).toBe(1);
    await reader.cancel("enough");
    expect([pulls, reasons]).toEqual([1, ["enough"]]);
    expect((await observed.events())[1]).toMatchObject({ response: "a", metadata: { outcome: "aborted" } });
  });

  test("fails with the very error of the source", async () => {
    const error = new TypeError("terminated");
    const { stream } = await callStream(
      new ReadableStream({ pull: (controller) => controller.error(error) }),
    );
    await expect(stream.getReader().read()).rejects.toBe(error);
    expect((await observed.events())[1]).toMatchObject({ error: true, error_type: "TypeError" });
  });

  test.each([
    {
      name: "of version 2",
      usage: { inputTokens: 9, outputTokens: 3, totalTokens: 12, cachedInputTokens: 4, reasoningTokens: 1 },
      finishReason: "stop",
    },
    {
      name: "of versions 3 and 4",
      usage: {
        inputTokens: { total: 9, noCache: 5, cacheRead: 4, cacheWrite: undefined },
        outputTokens: { total: 3, text: 2, reasoning: 1 },
      },
      finishReason: { unified: "stop", raw: undefined },
    },
  ])("$name tells its counts, its own model and its text", async ({ usage, finishReason }) => {
    const metadata = { type: "response-metadata", id: "r", modelId: "gpt-5-mini-2026" };
    const thought = { type: "reasoning-delta", id: "0", delta: "Hm." };
    const last = { type: "finish", usage, finishReason };
    const { stream } = await callStream(ReadableStream.from([metadata, thought, ...parts.slice(0, 2), last]));
    await drain(stream);
    const prompt = "system: Be kind.\n\nuser: Say hello";
    expect((await observed.events())[1]).toEqual({ ...STREAMED, prompt, response: "ab" });
  });

  test.each([
    { raw: {}, written: { cache_write_5m_tokens: 6 } },
    {
      raw: { cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 2 } },
      written: { cache_write_5m_tokens: 4, cache_write_1h_tokens: 2 },
    },
  ])("tokens written to Anthropic's cache are $written", async ({ raw, written }) => {
    const usage = {
      inputTokens: { total: 15, noCache: 5, cacheRead: 4, cacheWrite: 6 },
      outputTokens: { total: 3, text: 3, reasoning: undefined },
      raw,
    };
    const last = { type: "finish", usage, finishReason: { unified: "stop", raw: "end_turn" } };
    const { stream } = await callStream(ReadableStream.from([...parts.slice(0, 2), last]));
    await drain(stream);
    const tokens = { input_tokens: 15, cached_input_tokens: 4, output_tokens: 3, ...written };
    expect((await observed.events())[1]).toMatchObject(tokens);
  });

  /** Calls a model with one stream through the middleware, as the AI SDK does. */
  function callStream(stream: ReadableStream<unknown>) {
    const prompt = [
      { role: "system", content: "Be kind." },
      { role: "user", content: [{ type: "text", text: "Say hello" }] },
    ];
    return recording().wrapStream({
      doStream: async () => ({ stream, request: {} }),
      params: { prompt },
      model: { provider: "openai.chat", modelId: "gpt-5-mini" },
    });
  }
});

async function drain(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream);
}
