import OpenAI from "openai";
import { Stream } from "openai/core/streaming";
import { ChatCompletionStream } from "openai/lib/ChatCompletionStream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  ASK,
  CHAT,
  chunk,
  completion,
  eventStream,
  HELLO,
  IDENTITY,
  LAST,
  type Observed,
  STREAM,
  startObserved,
  USAGE_CHUNK,
} from "../../test-support/model-call-fixture.ts";

let observed: Observed;
let wrapped: OpenAI;
beforeEach(async () => {
  observed = await startObserved();
  observed.server.script(CHAT, eventStream([...HELLO, USAGE_CHUNK]));
  wrapped = observed.client.wrap(observed.makeOpenai(), "greeting", { user: "ada" });
});
afterEach(() => observed.stop());

const ms = expect.any(Number);
const USED = { input_tokens: 9, cached_input_tokens: 4, output_tokens: 3, reasoning_tokens: 1 };
const TOLD = {
  ...IDENTITY,
  type: "model_call",
  latency_ms: ms,
  time_to_first_token_ms: ms,
  provider: "localhost",
  requested_model: "gpt-5-mini",
  model: "gpt-5-mini-2026",
  finish_reason: "stop",
  error: false,
  prompt: "Say hello",
  response: "Hello you",
};
const CALL = { ...TOLD, ...USED };
const ABORTED = { error: false, metadata: { outcome: "aborted" } };

const sentOptions = () => JSON.parse(observed.server.at(CHAT)[0]?.body ?? "").stream_options;
const calls = async () => (await observed.events()).filter(({ type }) => type === "model_call");

async function textOf(stream: AsyncIterable<OpenAI.ChatCompletionChunk>): Promise<string> {
  let text = "";
  // Fails on a chunk without choices, as many programs do.
  for await (const { choices } of stream) text += choices[0]!.delta.content ?? "";
  return text;
}

describe("a stream", () => {
  test("requests the usage, hides its chunk and does not change the arguments", async () => {
    const body = Object.freeze({ ...STREAM, stream_options: Object.freeze({ include_obfuscation: false }) });
    const stream = await wrapped.chat.completions.create(body);
    expect(stream).toBeInstanceOf(Stream);
    expect(await textOf(stream)).toBe("Hello you");
    expect(sentOptions()).toEqual({ include_obfuscation: false, include_usage: true });
    expect(await observed.events()).toEqual([{ ...IDENTITY, type: "exposure" }, CALL]);
  });

  test("shows the chunk with the usage to a caller who asked for it", async () => {
    const stream = await wrapped.chat.completions.create({
      ...STREAM,
      stream_options: { include_usage: true },
    });
    const lengths = [];
    for await (const { choices } of stream) lengths.push(choices.length);
    expect(lengths).toEqual([1, 1, 1, 0]);
    expect(await calls()).toEqual([CALL]);
  });

  test("respects a caller who does not want the usage, and then has none", async () => {
    observed.server.script(CHAT, eventStream(HELLO));
    const stream = await wrapped.chat.completions.create({
      ...STREAM,
      stream_options: { include_usage: false },
    });
    expect(await textOf(stream)).toBe("Hello you");
    expect(sentOptions()).toEqual({ include_usage: false });
    expect(await calls()).toEqual([TOLD]);
  });

  test("does not request the usage when the application disables it", async () => {
    observed.server.script(CHAT, eventStream(HELLO));
    const quiet = observed.client.wrap(observed.makeOpenai(), "greeting", {
      user: "ada",
      streamUsage: false,
    });
    expect(await textOf(await quiet.chat.completions.create(STREAM))).toBe("Hello you");
    expect(sentOptions()).toBeUndefined();
    expect(await calls()).toEqual([TOLD]);
  });

  test.each([
    [400, { message: "Unrecognized request argument supplied: stream_options" }],
    [422, { message: "Extra inputs are not permitted", param: "stream_options" }],
  ])(
    "that a backend refuses with %i because of our option is repeated without it, and later calls omit it",
    async (status, error) => {
      const refusal = { status, body: { error } };
      observed.server.script(CHAT, refusal, eventStream(HELLO));
      expect(await textOf(await wrapped.chat.completions.create(STREAM))).toBe("Hello you");
      const forBob = observed.client.wrap(wrapped, "greeting", { user: "ada" });
      for (const one of [wrapped, forBob, wrapped.withOptions({ maxRetries: 1 })]) {
        observed.server.script(CHAT, eventStream(HELLO));
        expect(await textOf(await one.chat.completions.create(STREAM))).toBe("Hello you");
      }
      const asked = observed.server.at(CHAT).map(({ body }) => JSON.parse(body).stream_options);
      expect(asked).toEqual([{ include_usage: true }, undefined, undefined, undefined, undefined]);
      expect(await calls()).toEqual([TOLD, TOLD, TOLD, TOLD]);
    },
  );

  test("that fails for another reason, or for an option of the caller, fails as without us", async () => {
    const other = { status: 400, body: { error: { message: "max_tokens is too large" } } };
    const own = { status: 400, body: { error: { message: "stream_options is unknown" } } };
    observed.server.script(CHAT, other);
    await expect(wrapped.chat.completions.create(STREAM)).rejects.toThrow("max_tokens is too large");
    observed.server.script(CHAT, own);
    const asking = { ...STREAM, stream_options: { include_usage: true } };
    await expect(wrapped.chat.completions.create(asking)).rejects.toThrow("stream_options is unknown");
    observed.server.script(CHAT, own, other);
    await expect(wrapped.chat.completions.create(STREAM)).rejects.toThrow("max_tokens is too large");
    expect((await calls()).map(({ error }) => error)).toEqual([true, true, true]);
  });

  test("passes on chunks without choices that do not report usage", async () => {
    const filtered = chunk(null, { choices: [], prompt_filter_results: [] });
    observed.server.script(CHAT, eventStream([filtered, ...HELLO, USAGE_CHUNK]));
    const lengths = [];
    for await (const { choices } of await wrapped.chat.completions.create(STREAM))
      lengths.push(choices.length);
    expect(lengths).toEqual([0, 1, 1, 1]);
  });

  test("can be split in two and stays one call", async () => {
    const [left, right] = (await wrapped.chat.completions.create(STREAM)).tee();
    expect(await Promise.all([textOf(left), textOf(right)])).toEqual(["Hello you", "Hello you"]);
    expect(await calls()).toEqual([CALL]);
  });

  test("can become a readable stream", async () => {
    const stream = await wrapped.chat.completions.create(STREAM);
    const lines = (await new Response(stream.toReadableStream()).text()).trim().split("\n");
    expect(lines).toHaveLength(3);
    expect(await calls()).toEqual([CALL]);
  });

  test("comes with its response", async () => {
    const { data, response } = await wrapped.chat.completions.create(STREAM).withResponse();
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(await textOf(data)).toBe("Hello you");
    expect(await calls()).toEqual([CALL]);
  });

  test("that the caller leaves closes its source at once and is recorded as given up", async () => {
    observed.server.script(CHAT, eventStream([chunk("Hello"), chunk(" you")], "hang"));
    const stream = await wrapped.chat.completions.create(STREAM);
    for await (const _ of stream) break;
    expect(stream.controller.signal.aborted).toBe(true);
    const { finish_reason: _, ...told } = TOLD;
    expect(await calls()).toEqual([
      { ...told, ...ABORTED, response: "Hello", input_tokens: 3, output_tokens: 2, usage_estimated: true },
    ]);
  });

  test("left by an error in the caller's loop is recorded as given up, not failed", async () => {
    const stream = await wrapped.chat.completions.create(STREAM);
    const failing = async () => {
      for await (const _ of stream) throw new Error("mine");
    };
    await expect(failing()).rejects.toThrow("mine");
    expect(await calls()).toMatchObject([ABORTED]);
  });

  test("that the caller aborts ends without an error and is recorded as given up", async () => {
    observed.server.script(CHAT, eventStream([chunk("Hello")], "hang"));
    const stream = await wrapped.chat.completions.create(STREAM);
    for await (const _ of stream) stream.controller.abort();
    expect(await calls()).toMatchObject([{ ...ABORTED, response: "Hello" }]);
  });

  test("that breaks off throws the provider's error and keeps what arrived", async () => {
    observed.server.script(CHAT, eventStream([chunk("Hello")], "reset"));
    const stream = await wrapped.chat.completions.create(STREAM);
    await expect(textOf(stream)).rejects.toThrow();
    expect(await calls()).toMatchObject([{ error: true, error_type: "TypeError", response: "Hello" }]);
  });

  test("that reports an error throws it and keeps what arrived", async () => {
    observed.server.script(CHAT, eventStream([chunk("Hello"), { error: { message: "overloaded" } }]));
    const stream = await wrapped.chat.completions.create(STREAM);
    await expect(textOf(stream)).rejects.toBeInstanceOf(OpenAI.APIError);
    expect(await calls()).toMatchObject([{ error: true, error_type: "APIError", response: "Hello" }]);
  });

  test("cannot be read twice, and the attempt is not a second call", async () => {
    const stream = await wrapped.chat.completions.create(STREAM);
    await textOf(stream);
    await expect(textOf(stream)).rejects.toThrow("consumed");
    expect(await calls()).toEqual([CALL]);
  });

  test("that nobody reads is neither read nor recorded", async () => {
    await wrapped.chat.completions.create(STREAM);
    expect(await observed.events()).toEqual([{ ...IDENTITY, type: "exposure" }]);
  });

  test("passes on each chunk as it arrives", async () => {
    observed.server.script(CHAT, eventStream([chunk("Hello")], "hang"));
    const stream = await wrapped.chat.completions.create(STREAM);
    const iterator = stream[Symbol.asyncIterator]();
    expect((await iterator.next()).value.choices[0].delta.content).toBe("Hello");
    await iterator.return?.();
  });

  test("keeps no more than 64 KiB of its text", async () => {
    const parts = Array.from({ length: 40 }, () => chunk("x".repeat(4_096)));
    observed.server.script(CHAT, eventStream([...parts, LAST]));
    expect(await textOf(await wrapped.chat.completions.create(STREAM))).toHaveLength(163_840);
    const [call] = await calls();
    expect(Buffer.byteLength(String(call?.response))).toBe(65_536);
  });

  test("writes tool calls as for a plain answer", async () => {
    const tool = (index: number, fn: object) => ({
      delta: { tool_calls: [{ index, function: fn }] },
      index: 0,
    });
    const choices = [
      tool(0, { name: "find", arguments: "" }),
      tool(0, { arguments: '{"q":' }),
      tool(0, { arguments: "1}" }),
      tool(1, { name: "stop", arguments: "{}" }),
      { index: 0, delta: {}, finish_reason: "tool_calls" },
    ];
    observed.server.script(CHAT, eventStream(choices.map((choice) => chunk(null, { choices: [choice] }))));
    for await (const _ of await wrapped.chat.completions.create(STREAM));
    const text = '[tool_call find({"q":1})]\n[tool_call stop({})]';
    expect(await calls()).toMatchObject([{ finish_reason: "tool_calls", response: text }]);
    const whole = [
      { type: "function", id: "a", function: { name: "find", arguments: '{"q":1}' } },
      { type: "function", id: "b", function: { name: "stop", arguments: "{}" } },
    ];
    const message = { role: "assistant", content: null, tool_calls: whole };
    observed.server.script(
      CHAT,
      completion({ choices: [{ index: 0, message, finish_reason: "tool_calls" }] }),
    );
    await wrapped.chat.completions.create(ASK);
    expect((await calls())[1]).toMatchObject({ response: text });
  });
});

describe("the stream helper", () => {
  test("keeps its class, its events and its results, and is one call", async () => {
    const helper = wrapped.chat.completions.stream(ASK);
    const chunks: number[] = [];
    helper.on("chunk", ({ choices }) => chunks.push(choices.length));
    expect(helper).toBeInstanceOf(ChatCompletionStream);
    expect((await helper.finalChatCompletion()).choices[0]?.message.content).toBe("Hello you");
    expect(chunks).toEqual([1, 1, 1]);
    expect(await observed.events()).toEqual([{ ...IDENTITY, type: "exposure" }, CALL]);
  });

  test("parses structured output", async () => {
    observed.server.script(CHAT, eventStream([chunk('{"a":'), chunk("1}"), LAST, USAGE_CHUNK]));
    const schema = { name: "n", strict: true, schema: { type: "object", properties: {} } };
    const format = { type: "json_schema" as const, json_schema: schema };
    const helper = wrapped.chat.completions.stream({ ...ASK, response_format: format });
    expect(await helper.finalContent()).toBe('{"a":1}');
    expect(await calls()).toEqual([{ ...CALL, response: '{"a":1}' }]);
  });

  test("can be aborted", async () => {
    observed.server.script(CHAT, eventStream([chunk("Hello")], "hang"));
    const helper = wrapped.chat.completions.stream(ASK);
    helper.on("chunk", () => helper.abort());
    await expect(helper.done()).rejects.toBeInstanceOf(OpenAI.APIUserAbortError);
    expect(await calls()).toMatchObject([ABORTED]);
  });

  test("makes its call for the user who asked for it", async () => {
    const shared = observed.client.wrap(observed.makeOpenai(), "greeting");
    const helper = observed.client.withUser("ada", () => shared.chat.completions.stream(ASK));
    await observed.client.withUser("bob", () => helper.finalChatCompletion());
    expect(await calls()).toEqual([CALL]);
  });

  test("that runs tools makes a call for each turn", async () => {
    const toolCall = { id: "t1", type: "function", function: { name: "now", arguments: "{}" } };
    const message = { role: "assistant", content: null, tool_calls: [toolCall] };
    const turn = completion({ choices: [{ index: 0, message, finish_reason: "tool_calls" }] });
    observed.server.script(CHAT, turn, completion());
    const runner = wrapped.chat.completions.runTools({
      ...ASK,
      tools: [
        {
          type: "function",
          function: { name: "now", function: () => "noon", parameters: { type: "object" }, description: "" },
        },
      ],
    });
    expect(await runner.finalContent()).toBe("Hello you");
    expect(await calls()).toMatchObject([{ finish_reason: "tool_calls" }, { finish_reason: "stop" }]);
  });
});
