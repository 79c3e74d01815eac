import { describe, expect, test } from "vitest";
import type { Json } from "../json.ts";
import { DIALECTS } from "./dialects.ts";
import { dialectOf, hasUsage, readAgent, readCall, readTool } from "./read-call.ts";
import type { Span } from "./span.ts";

type Values = Readonly<Record<string, Json>>;

const spanOf = (attributes: Values, more: Partial<Span> = {}): Span => ({
  ...{ traceId: "1".repeat(32), spanId: "2".repeat(16), parentId: null, scope: "scope 1.0" },
  ...{ startedAt: 1_000, endedAt: 1_250.5, isFailed: false, events: [] },
  attributes: new Map(Object.entries(attributes)),
  ...more,
});

function read(attributes: Values, more: Partial<Span> = {}) {
  const span = spanOf(attributes, more);
  const dialect = dialectOf(span);
  return dialect === undefined ? undefined : readCall(span, dialect);
}

const fieldsOf = (attributes: Values, more: Partial<Span> = {}) => read(attributes, more)?.fields;
const chat = { "gen_ai.operation.name": "chat" };
const LANGFUSE = "langfuse.observation";
const langfuse = (usage: Json, more: Values = {}) => ({
  [`${LANGFUSE}.type`]: "generation",
  [`${LANGFUSE}.usage_details`]: typeof usage === "string" ? usage : JSON.stringify(usage),
  ...more,
});

describe("dialects", () => {
  test.each([
    ["ai-sdk", { "ai.operationId": "ai.streamText.doStream", "gen_ai.system": "openai" }],
    ["langfuse", { [`${LANGFUSE}.type`]: "generation" }],
    ["openinference", { "openinference.span.kind": "LLM" }],
    ["openllmetry", { "llm.request.type": "chat", "gen_ai.system": "OpenAI" }],
    ["opentelemetry-newest", { ...chat, "gen_ai.usage.cache_read.input_tokens": 1 }],
    ["opentelemetry-1.37", { ...chat, "gen_ai.provider.name": "openai" }],
    ["opentelemetry-1.36", { ...chat, "gen_ai.system": "openai" }],
  ])("%s is recognized, and its calls are calls", (name, attributes) => {
    const span = spanOf(attributes);
    const dialect = dialectOf(span);
    expect(dialect?.name).toBe(name);
    expect(dialect && readCall(span, dialect)).not.toBeNull();
    expect(fieldsOf(attributes)?.metadata).toMatchObject({ dialect: `${name}/${dialect?.version}` });
  });

  test.each<Values>([
    { "ai.operationId": "ai.generateText", "ai.usage.inputTokens": 5 },
    { [`${LANGFUSE}.type`]: "span" },
    { "openinference.span.kind": "CHAIN" },
    { "traceloop.span.kind": "workflow" },
    { "gen_ai.operation.name": "invoke_agent", "gen_ai.provider.name": "openai" },
  ])("steps around calls are no calls: %j", (attributes) => expect(read(attributes)).toBeNull());

  describe("agents at work", () => {
    const agent = (attributes: Values, { endedAt = 20 as number | null, isFailed = false } = {}) => {
      const span: Span = {
        ...{
          traceId: "t",
          spanId: "s",
          parentId: null,
          scope: "x",
          startedAt: 10,
          endedAt,
          isFailed,
          events: [],
        },
        attributes: new Map(Object.entries(attributes)),
      };
      return readAgent(span, dialectOf(span)!);
    };
    const langfuse = { [`${LANGFUSE}.type`]: "agent" };

    test.each<[string, Values]>([
      ["OpenTelemetry", { "gen_ai.operation.name": "invoke_agent", "gen_ai.provider.name": "openai" }],
      ["OpenTelemetry before providers", { "gen_ai.operation.name": "invoke_agent" }],
      ["OpenInference", { "openinference.span.kind": "AGENT" }],
      ["OpenLLMetry", { "traceloop.span.kind": "agent" }],
      ["Langfuse", langfuse],
    ])("end with their span in %s", (_, attributes) => {
      expect(agent(attributes)).toEqual({ endedAt: 20, isFailed: false });
      expect(agent(attributes, { isFailed: true })).toEqual({ endedAt: 20, isFailed: true });
      expect(agent(attributes, { endedAt: null })).toBeNull();
    });

    test("fail as their dialect says", () => {
      expect(agent({ ...langfuse, [`${LANGFUSE}.level`]: "ERROR" })).toEqual({ endedAt: 20, isFailed: true });
    });

    test.each<Values>([
      { "openinference.span.kind": "CHAIN" },
      { "traceloop.span.kind": "workflow" },
      { "gen_ai.operation.name": "create_agent" },
      { "ai.operationId": "ai.generateText" },
    ])("are no other steps: %j", (attributes) => expect(agent(attributes)).toBeNull());
  });

  describe("calls of tools", () => {
    const OTEL = "gen_ai.tool";
    test.each<[string, Values, Values]>([
      [
        "opentelemetry-1.36",
        {
          ...{ "gen_ai.operation.name": "execute_tool", [`${OTEL}.name`]: "search", "error.type": "timeout" },
          ...{
            [`${OTEL}.call.arguments`]: { q: "x" },
            [`${OTEL}.call.result`]: "none",
            "gen_ai.agent.name": "a",
          },
        },
        {
          ...{ tool_name: "search", error: true, error_type: "timeout", agent_name: "a" },
          ...{ tool_arguments: '{"q":"x"}', tool_result: "none" },
        },
      ],
      [
        "openinference",
        { "openinference.span.kind": "TOOL", "tool.name": "search", "input.value": "q", "output.value": "r" },
        { tool_name: "search", error: false, tool_arguments: "q", tool_result: "r" },
      ],
      [
        "ai-sdk",
        {
          ...{ "ai.operationId": "ai.toolCall", "ai.toolCall.name": "search", "ai.toolCall.args": "{}" },
          "ai.toolCall.result": "[]",
        },
        { tool_name: "search", error: false, tool_arguments: "{}", tool_result: "[]" },
      ],
      [
        "openllmetry",
        {
          ...{ "traceloop.span.kind": "tool", "traceloop.entity.name": "search" },
          ...{ "traceloop.entity.input": "i", "traceloop.entity.output": "o" },
        },
        { tool_name: "search", error: false, tool_arguments: "i", tool_result: "o" },
      ],
      [
        "opentelemetry-1.37",
        { "gen_ai.operation.name": "execute_tool", "gen_ai.provider.name": "p" },
        {
          ...{ tool_name: "unnamed", error: false },
        },
      ],
    ])("of %s are read", (name, attributes, fields) => {
      const span = spanOf(attributes);
      const dialect = dialectOf(span)!;
      const { metadata, ...read } = readTool(span, dialect)!;
      expect(read).toEqual({ latency_ms: 250.5, ...fields });
      expect(metadata).toEqual({
        ...{ trace_id: span.traceId, span_id: span.spanId, instrumentation: "scope 1.0" },
        dialect: `${name}/${dialect.version}`,
      });
      expect(readCall(span, dialect)).toBeNull();
    });

    test("are none in dialects without them, and of other spans", () => {
      for (const attributes of [langfuse({}), { ...chat, "gen_ai.system": "openai" }]) {
        const span = spanOf(attributes);
        expect(readTool(span, dialectOf(span)!)).toBeNull();
      }
    });
  });

  test("a call names its agent", () => {
    expect(fieldsOf({ ...chat, "gen_ai.agent.name": "planner" })?.agent_name).toBe("planner");
  });

  test("other spans have none", () => expect(read({ "http.request.method": "GET" })).toBeUndefined());

  test("no two tables share a name", () => {
    expect(new Set(DIALECTS.map(({ name }) => name)).size).toBe(DIALECTS.length);
  });
});

describe("usage", () => {
  const openAi = { completion_tokens: 20, prompt_tokens: 100 };
  test.each([
    ["nothing is missing as 0", chat, {}],
    [
      "whole",
      { ...chat, "gen_ai.usage.input_tokens": 9, "gen_ai.usage.output_tokens": 0 },
      { input_tokens: 9, output_tokens: 0 },
    ],
    ["an older name", { ...chat, "gen_ai.usage.prompt_tokens": 9 }, { input_tokens: 9 }],
    ["no number", { ...chat, "gen_ai.usage.input_tokens": "9", "gen_ai.usage.output_tokens": -1 }, {}],
    [
      "parts within",
      {
        ...chat,
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.cache_read.input_tokens": 60,
        "gen_ai.usage.cache_creation.input_tokens": 30,
      },
      { input_tokens: 100, cached_input_tokens: 60, cache_write_5m_tokens: 30 },
    ],
    [
      "parts that were counted beside",
      {
        ...chat,
        "gen_ai.usage.input_tokens": 10,
        "gen_ai.usage.cache_read.input_tokens": 60,
        "gen_ai.usage.output_tokens": 5,
        "gen_ai.usage.reasoning_tokens": 7,
      },
      { input_tokens: 70, cached_input_tokens: 60, output_tokens: 12, reasoning_tokens: 7 },
    ],
    [
      "Langfuse's own form",
      langfuse({
        input: 820,
        output: 60,
        input_cached_tokens: 320,
        output_reasoning_tokens: 60,
        total: 1260,
      }),
      { input_tokens: 1140, cached_input_tokens: 320, output_tokens: 120, reasoning_tokens: 60 },
    ],
    [
      "OpenAI's form in Langfuse's",
      langfuse({
        ...openAi,
        prompt_tokens_details: { cached_tokens: 30 },
        completion_tokens_details: { reasoning_tokens: 8 },
      }),
      { input_tokens: 100, cached_input_tokens: 30, output_tokens: 20, reasoning_tokens: 8 },
    ],
    ["a list in place of an object", langfuse("[1]"), {}],
    ["an object that cannot be parsed", langfuse("{"), {}],
    [
      "audio",
      {
        "openinference.span.kind": "LLM",
        "llm.token_count.prompt": 10,
        "llm.token_count.prompt_details.audio": 4,
        "llm.token_count.completion_details.audio": 2,
      },
      { input_tokens: 10, audio_input_tokens: 4, audio_output_tokens: 2 },
    ],
  ])("%s", (_name, attributes, expected) => {
    const fields = fieldsOf(attributes) ?? {};
    const tokens = Object.fromEntries(Object.entries(fields).filter(([name]) => name.endsWith("_tokens")));
    expect(tokens).toEqual(expected);
    expect(hasUsage(fields)).toBe("input_tokens" in expected || "output_tokens" in expected);
  });

  test("of output alone is usage", () => expect(hasUsage({ output_tokens: 1 })).toBe(true));
});

describe("errors and times", () => {
  const exception = (type: string) => ({
    name: "exception",
    at: 1,
    attributes: new Map([["exception.type", type]]),
  });
  test.each([
    ["sound", chat, {}, { error: false }],
    ["a status", chat, { isFailed: true }, { error: true, error_type: "error" }],
    [
      "an exception",
      chat,
      { isFailed: true, events: [exception("Timeout")] },
      { error: true, error_type: "Timeout" },
    ],
    ["a caught exception", chat, { events: [exception("Timeout")] }, { error: false }],
    ["a type", { ...chat, "error.type": "429" }, {}, { error: true, error_type: "429" }],
    ["a level", langfuse({}, { [`${LANGFUSE}.level`]: "ERROR" }), {}, { error: true, error_type: "error" }],
    ["another level", langfuse({}, { [`${LANGFUSE}.level`]: "WARNING" }), {}, { error: false }],
  ])("%s", (_name, attributes, more, expected) => expect(fieldsOf(attributes, more)).toMatchObject(expected));

  test("without an end, there is no latency", () =>
    expect(fieldsOf(langfuse({}), { endedAt: null })).not.toHaveProperty("latency_ms"));

  test("latency is exact to a microsecond and never negative", () => {
    expect(fieldsOf(chat)?.latency_ms).toBe(250.5);
    expect(fieldsOf(chat, { endedAt: 1_499.9999996 })?.latency_ms).toBe(500);
    expect(fieldsOf(chat, { endedAt: 10 })?.latency_ms).toBe(0);
  });

  const firstToken = { name: "First Token Stream Event", at: 1_100, attributes: new Map() };
  const started = (at: string) => langfuse({}, { [`${LANGFUSE}.completion_start_time`]: at });
  test.each([
    [
      "in milliseconds",
      { "ai.operationId": "ai.generateText.doGenerate", "ai.response.msToFirstChunk": 12.5 },
      {},
      12.5,
    ],
    ["in seconds", { ...chat, "gen_ai.response.time_to_first_chunk": 0.25 }, {}, 250],
    ["as an event", { "openinference.span.kind": "LLM" }, { events: [firstToken] }, 100],
    ["as a quoted instant", started('"1970-01-01T00:00:01.200Z"'), {}, 200],
    ["before the start", started("1970-01-01T00:00:00.200Z"), {}, undefined],
    ["no instant", started("soon"), {}, undefined],
    ["not at all", chat, {}, undefined],
  ])("the first token: %s", (_name, attributes, more, expected) => {
    const call = read(attributes, more);
    expect(call?.fields.time_to_first_token_ms).toBe(expected);
    expect(call?.isStream).toBe(expected !== undefined);
  });

  test.each([
    [{ "ai.operationId": "ai.streamText.doStream" }, true],
    [{ ...chat, "gen_ai.request.stream": true }, true],
    [{ ...chat, "gen_ai.request.stream": false }, false],
    [{ "openinference.span.kind": "LLM", "llm.invocation_parameters": '{"stream": true}' }, true],
  ])("a stream is told by %j", (attributes, expected) => expect(read(attributes)?.isStream).toBe(expected));
});

describe("names and what is left", () => {
  test("the settings of a call are in its metadata", () => {
    const parameters = { temperature: 0.5, top_p: 1, max_tokens: 9, seed: 3, model: "asked" };
    expect(
      fieldsOf({
        ...{ "openinference.span.kind": "LLM", "llm.invocation_parameters": parameters, "session.id": "s" },
        "llm.finish_reason": "stop",
      }),
    ).toMatchObject({
      requested_model: "asked",
      finish_reason: "stop",
      metadata: { temperature: 0.5, top_p: 1, max_tokens: 9, seed: 3, conversation_id: "s" },
    });
  });

  test("the first finish reason counts", () => {
    expect(fieldsOf({ ...chat, "gen_ai.response.finish_reasons": ["stop", "length"] })?.finish_reason).toBe(
      "stop",
    );
    expect(fieldsOf({ ...chat, "gen_ai.response.finish_reasons": [] })?.finish_reason).toBeUndefined();
  });

  test("names are cut to what an event holds", () => {
    const model = fieldsOf({ ...chat, "gen_ai.response.model": "🙂".repeat(300) })?.model;
    expect([...String(model)]).toHaveLength(200);
    expect(fieldsOf({ ...chat, "gen_ai.response.model": "" })?.model).toBeUndefined();
  });

  test("what is not read is kept, as far as it fits", () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`x.${at}`, "y".repeat(50)]));
    const all = { ...chat, ...many, big: "z".repeat(600), "gen_ai.request.model": "m" };
    const { attributes = {} } = (fieldsOf(all)?.metadata ?? {}) as { readonly attributes?: Values };
    expect(Object.keys(attributes).length).toBeGreaterThan(20);
    expect(Object.keys(attributes).length).toBeLessThan(60);
    expect(attributes.big).toBeUndefined();
    expect(attributes["gen_ai.request.model"]).toBeUndefined();
    const numbered = {
      "openinference.span.kind": "LLM",
      "llm.input_messages.0.message.role": "user",
      "llm.input_messages.0.message.content": "Hi",
    };
    expect(fieldsOf(numbered)?.metadata).not.toHaveProperty("attributes");
    expect(fieldsOf(numbered)).toMatchObject({ prompt: "Hi" });
    expect(fieldsOf({ ...numbered, other: 1 })?.metadata).toMatchObject({ attributes: { other: 1 } });
  });
});

describe("Langfuse", () => {
  const parts = { input_cached_tokens: 300, output_reasoning_tokens: 40 };
  test.each([
    ["beside the counts", { input: 700, output: 60, total: 1_100, ...parts }, [1_000, 100]],
    [
      "within the counts, as the total shows",
      { input: 1_000, output: 100, total: 1_100, ...parts },
      [1_000, 100],
    ],
    ["beside counts without a total", { input: 700, output: 60, ...parts }, [1_000, 100]],
    ["beside counts whose total leaves them out", { input: 10, output: 5, total: 15, ...parts }, [310, 45]],
    ["beside one count", { input: 700, total: 700, ...parts }, [1_000, undefined]],
  ])("has parts of tokens %s", (_name, usage, [input, output]) => {
    const fields = fieldsOf(langfuse(usage));
    expect([fields?.input_tokens, fields?.output_tokens]).toEqual([input, output]);
    expect(fields).toMatchObject({ cached_input_tokens: 300, reasoning_tokens: 40 });
  });

  test.each<readonly [Json, number | undefined]>([
    [{ input: 0.25, output: 0.5 }, 0.75],
    [{ input: 0.25, output: 0.5, total: 1 }, 1],
    [{ input: "a lot", output: -1 }, undefined],
    [{ total: 0 }, 0],
    [{}, undefined],
  ])("has costs: %j", (costs, expected) =>
    expect(fieldsOf(langfuse({}, { [`${LANGFUSE}.cost_details`]: JSON.stringify(costs) }))?.cost_usd).toBe(
      expected,
    ),
  );
});
