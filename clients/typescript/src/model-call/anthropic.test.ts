import Anthropic, { APIPromise, APIUserAbortError, BadRequestError } from "@anthropic-ai/sdk";
import { MessageStream } from "@anthropic-ai/sdk/lib/MessageStream";
import { Stream } from "@anthropic-ai/sdk/streaming";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ScriptedResponse } from "../../../scenario-server/scripted-server.ts";
import { IDENTITY, type Observed, startObserved } from "../../test-support/model-call-fixture.ts";

const PATH = "/v1/messages";
const ASK = {
  model: "claude-haiku-4-5",
  max_tokens: 100,
  messages: [{ role: "user" as const, content: "Say hello" }],
};
const USAGE = {
  input_tokens: 5,
  cache_creation_input_tokens: 2,
  cache_read_input_tokens: 4,
  output_tokens: 3,
  output_tokens_details: { thinking_tokens: 1 },
};
const HELLO = { type: "text", text: "Hello you", citations: null };

let observed: Observed;
let anthropic: Anthropic;
let wrapped: Anthropic;
beforeEach(async () => {
  observed = await startObserved();
  observed.server.script(PATH, message());
  anthropic = new Anthropic({ apiKey: "k", baseURL: observed.server.url, maxRetries: 1 });
  wrapped = observed.client.wrap(anthropic, "greeting", { user: "ada" });
});
afterEach(() => observed.stop());

const ms = expect.any(Number);
const EXPOSURE = { ...IDENTITY, type: "exposure" };
const CALL = {
  ...IDENTITY,
  type: "model_call",
  latency_ms: ms,
  provider: "localhost",
  requested_model: "claude-haiku-4-5",
  model: "claude-haiku-4-5-20251001",
  input_tokens: 11,
  cached_input_tokens: 4,
  cache_write_5m_tokens: 2,
  output_tokens: 3,
  reasoning_tokens: 1,
  finish_reason: "end_turn",
  error: false,
  prompt: "Say hello",
  response: "Hello you",
  metadata: { max_tokens: 100 },
};
const STREAMED = { ...CALL, time_to_first_token_ms: ms };

describe("a message", () => {
  test("is recorded with an exposure", async () => {
    const answer = await wrapped.messages.create(ASK);
    expect(answer.content).toEqual([HELLO]);
    expect(await observed.events()).toEqual([EXPOSURE, CALL]);
  });

  test("returns the provider's own promise", async () => {
    const promise = wrapped.messages.create(ASK);
    expect(promise).toBeInstanceOf(APIPromise);
    const { data, response } = await promise.withResponse();
    expect([data.id, response.status]).toEqual(["m1", 200]);
    expect(await observed.events()).toEqual([EXPOSURE, CALL]);
  });

  test("can be had as the raw response", async () => {
    const response = await wrapped.messages.create(ASK).asResponse();
    expect(await response.json()).toMatchObject({ id: "m1" });
    const [, call] = await observed.events();
    expect(call).not.toHaveProperty("input_tokens");
    expect(call).toMatchObject({ ...IDENTITY, type: "model_call", error: false });
  });

  test("that is parsed counts as one call", async () => {
    observed.server.script(PATH, message({ content: [{ ...HELLO, text: '{"a":1}' }] }));
    const format = { type: "json_schema" as const, schema: { type: "object" } };
    const answer = await wrapped.messages.parse({ ...ASK, output_config: { format } });
    expect(answer.content[0]).toMatchObject({ text: '{"a":1}' });
    expect(await observed.events()).toEqual([EXPOSURE, { ...CALL, response: '{"a":1}' }]);
  });

  test("with tools, images and a system prompt is put into words", async () => {
    const toolUse = { type: "tool_use", id: "t2", name: "find", input: { q: 2 } };
    const thinking = { type: "thinking", thinking: "Hm.", signature: "s" };
    observed.server.script(PATH, message({ content: [thinking, HELLO, toolUse], stop_reason: "tool_use" }));
    await wrapped.messages.create({
      ...ASK,
      system: [{ type: "text", text: "Be kind." }],
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What?" },
            { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
          ],
        },
        { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "find", input: { q: 1 } }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "42" }] },
      ],
    });
    const prompt =
      'system: Be kind.\n\nuser: What?\n[image]\n\nassistant: [tool_call find({"q":1})]\n\nuser: 42';
    const response = 'Hello you\n[tool_call find({"q":2})]';
    expect(await observed.events()).toEqual([
      EXPOSURE,
      { ...CALL, finish_reason: "tool_use", prompt, response },
    ]);
  });

  test("of the beta is a message", async () => {
    await wrapped.beta.messages.create(ASK);
    expect(await observed.events()).toEqual([EXPOSURE, CALL]);
  });

  test("without usage has unknown counts, not zeros", async () => {
    observed.server.script(PATH, message({ usage: undefined }));
    await wrapped.messages.create(ASK);
    const [, call] = await observed.events();
    for (const field of ["input_tokens", "cached_input_tokens", "output_tokens", "reasoning_tokens"]) {
      expect(call).not.toHaveProperty(field);
    }
  });
});

describe("a failure", () => {
  test("is the provider's own error, and recorded", async () => {
    observed.server.script(PATH, {
      status: 400,
      body: { type: "error", error: { type: "invalid_request_error" } },
    });
    await expect(wrapped.messages.create(ASK)).rejects.toBeInstanceOf(BadRequestError);
    const { requested_model, provider, prompt } = CALL;
    expect(await observed.events()).toEqual([
      EXPOSURE,
      {
        ...IDENTITY,
        type: "model_call",
        latency_ms: ms,
        requested_model,
        provider,
        prompt,
        error: true,
        error_type: "BadRequestError",
        metadata: { max_tokens: 100 },
      },
    ]);
  });

  test("that the provider's library retries is one call", async () => {
    observed.server.script(PATH, { status: 529, headers: { "retry-after-ms": "1" } }, message());
    await wrapped.messages.create(ASK);
    expect(observed.server.at(PATH)).toHaveLength(2);
    expect(await observed.events()).toEqual([EXPOSURE, CALL]);
  });

  test("in the middle of a stream keeps what was received", async () => {
    observed.server.script(PATH, events(STREAM.slice(0, 3), "reset"));
    const stream = await wrapped.messages.create({ ...ASK, stream: true });
    await expect(read(stream)).rejects.toThrow();
    const [, call] = await observed.events();
    expect(call).toMatchObject({ error: true, input_tokens: 11, response: "Hello" });
    expect(call).toMatchObject({ output_tokens: 2, usage_estimated: true });
  });

  test("that a stream reports as an event is an error", async () => {
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    observed.server.script(PATH, events([...STREAM.slice(0, 3), error]));
    const stream = await wrapped.messages.create({ ...ASK, stream: true });
    await expect(read(stream)).rejects.toBeInstanceOf(Anthropic.APIError);
    expect((await observed.events())[1]).toMatchObject({ error: true, response: "Hello" });
  });
});

describe("a stream", () => {
  beforeEach(() => observed.server.script(PATH, events(STREAM)));

  test("is the provider's own, and recorded when it ends", async () => {
    const stream = await wrapped.messages.create({ ...ASK, stream: true });
    expect(stream).toBeInstanceOf(Stream);
    expect(await read(stream)).toEqual(STREAM);
    expect(await observed.events()).toEqual([EXPOSURE, STREAMED]);
  });

  test("that calls a tool is written as text", async () => {
    observed.server.script(PATH, events(TOOL_STREAM));
    await read(await wrapped.messages.create({ ...ASK, stream: true }));
    const response = 'Wait.\n[tool_call find({"q": 1})]\n[tool_call now({})]\nDone.';
    expect((await observed.events())[1]).toMatchObject({ finish_reason: "tool_use", response });
  });

  test("with counts in several events adds up the last of each", async () => {
    const delta = { type: "message_delta", delta: { stop_reason: "end_turn" } };
    const usages = [
      { output_tokens: 2, input_tokens: null },
      { output_tokens: 9, input_tokens: 6 },
    ];
    observed.server.script(PATH, events([STREAM[0], ...usages.map((usage) => ({ ...delta, usage }))]));
    await read(await wrapped.messages.create({ ...ASK, stream: true }));
    expect((await observed.events())[1]).toMatchObject({ input_tokens: 12, output_tokens: 9 });
  });

  test("that the caller leaves early is recorded as aborted", async () => {
    for await (const event of await wrapped.messages.create({ ...ASK, stream: true })) {
      if (event.type === "content_block_delta") break;
    }
    const [, call] = await observed.events();
    expect(call).toMatchObject({
      error: false,
      response: "Hello",
      metadata: { max_tokens: 100, outcome: "aborted" },
    });
    expect(call).toMatchObject({ output_tokens: 2, usage_estimated: true });
  });

  test("that the caller aborts is recorded as aborted", async () => {
    observed.server.script(PATH, events(STREAM.slice(0, 3), "hang"));
    const stream = await wrapped.messages.create({ ...ASK, stream: true });
    for await (const event of stream) if (event.type === "content_block_delta") stream.controller.abort();
    expect((await observed.events())[1]).toMatchObject({
      error: false,
      metadata: { max_tokens: 100, outcome: "aborted" },
    });
  });
});

describe("the stream helper", () => {
  beforeEach(() => observed.server.script(PATH, events(STREAM)));

  test("emits its events and the whole message, recorded once", async () => {
    const stream = wrapped.messages.stream(ASK);
    expect(stream).toBeInstanceOf(MessageStream);
    const texts: string[] = [];
    stream.on("text", (text) => texts.push(text));
    const whole = await stream.finalMessage();
    expect([texts, whole.content[0]]).toEqual([
      ["Hello", " you"],
      expect.objectContaining({ text: "Hello you" }),
    ]);
    expect(await observed.events()).toEqual([EXPOSURE, STREAMED]);
  });

  test("belongs to the user for whom it was opened", async () => {
    const shared = observed.client.wrap(anthropic, "greeting");
    const stream = observed.client.withUser("ada", () => shared.messages.stream(ASK));
    expect(await stream.finalText()).toBe("Hello you");
    expect(await observed.events()).toEqual([EXPOSURE, STREAMED]);
  });

  test("can be aborted", async () => {
    observed.server.script(PATH, events(STREAM.slice(0, 3), "hang"));
    const stream = wrapped.messages.stream(ASK);
    stream.on("text", () => stream.abort());
    await expect(stream.done()).rejects.toBeInstanceOf(APIUserAbortError);
    expect((await observed.events())[1]).toMatchObject({
      error: false,
      metadata: { max_tokens: 100, outcome: "aborted" },
    });
  });
});

test("the tool runner makes one call per message", async () => {
  const toolUse = { type: "tool_use", id: "t1", name: "find", input: {} };
  observed.server.script(PATH, message({ content: [toolUse], stop_reason: "tool_use" }), message());
  const find = {
    type: "custom" as const,
    name: "find",
    input_schema: { type: "object" as const },
    run: () => "42",
    parse: (input: unknown) => input,
  };
  const last = await wrapped.beta.messages.toolRunner({ ...ASK, tools: [find] });
  expect(last.content).toEqual([HELLO]);
  const calls = (await observed.events()).filter(({ type }) => type === "model_call");
  expect(calls.map((call) => call.response)).toEqual(["[tool_call find({})]", "Hello you"]);
});

test("a client for another platform is recognized by its shape", async () => {
  class Platform extends Anthropic {
    readonly #region = "eu";
    region() {
      return this.#region;
    }
  }
  const platform = new Platform({ apiKey: "k", baseURL: observed.server.url });
  const view = observed.client.wrap(platform, "greeting", { user: "ada" });
  await view.messages.create(ASK);
  expect([view instanceof Platform, view.region()]).toEqual([true, "eu"]);
  expect(await observed.events()).toEqual([EXPOSURE, CALL]);
});

test("what is not a model call is left alone", async () => {
  observed.server.script("/v1/messages/count_tokens", { status: 200, body: { input_tokens: 7 } });
  observed.server.script("/v1/models/m", { status: 200, body: { id: "m" } });
  expect(await wrapped.messages.countTokens(ASK)).toMatchObject({ input_tokens: 7 });
  expect(await wrapped.models.retrieve("m")).toMatchObject({ id: "m" });
  expect(wrapped).toBeInstanceOf(Anthropic);
  expect(wrapped.messages).toBe(wrapped.messages);
  expect(wrapped.models).toBe(anthropic.models);
  expect(await observed.events()).toEqual([]);
});

function message(changes: Record<string, unknown> = {}): ScriptedResponse {
  return { status: 200, body: { ...whole([HELLO]), stop_reason: "end_turn", usage: USAGE, ...changes } };
}

function whole(content: readonly unknown[]) {
  const model = "claude-haiku-4-5-20251001";
  return { id: "m1", type: "message", role: "assistant", model, content, stop_sequence: null };
}

function events(list: readonly unknown[], end?: "reset" | "hang"): ScriptedResponse {
  const chunks = list.map(
    (event) => `event: ${(event as { type: string }).type}\ndata: ${JSON.stringify(event)}\n\n`,
  );
  return { status: 200, headers: { "content-type": "text/event-stream" }, chunks, ...(end && { end }) };
}

async function read<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const event of stream) all.push(event);
  return all;
}

const START = {
  type: "message_start",
  message: {
    ...whole([]),
    stop_reason: null,
    usage: { ...USAGE, output_tokens: 1, output_tokens_details: null },
  },
};
const text = (index: number, ...texts: readonly string[]) => [
  { type: "content_block_start", index, content_block: { type: "text", text: "" } },
  ...texts.map((text) => ({ type: "content_block_delta", index, delta: { type: "text_delta", text } })),
  { type: "content_block_stop", index },
];
const tool = (index: number, name: string, ...parts: readonly string[]) => [
  {
    type: "content_block_start",
    index,
    content_block: { type: "tool_use", id: `t${index}`, name, input: {} },
  },
  ...parts.map((partial_json) => ({
    type: "content_block_delta",
    index,
    delta: { type: "input_json_delta", partial_json },
  })),
  { type: "content_block_stop", index },
];
const end = (stop_reason: string) => [
  {
    type: "message_delta",
    delta: { stop_reason, stop_sequence: null },
    usage: { output_tokens: 3, output_tokens_details: { thinking_tokens: 1 } },
  },
  { type: "message_stop" },
];
const STREAM = [START, ...text(0, "Hello", " you"), ...end("end_turn")];
const TOOL_STREAM = [
  START,
  ...text(0, "Wait."),
  ...tool(1, "find", "", '{"q": ', "1}"),
  ...tool(2, "now", ""),
  ...text(3, "Done."),
  ...end("tool_use"),
];
