import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  CHAT,
  chunk,
  eventStream,
  HELLO,
  IDENTITY,
  type Observed,
  STREAM,
  startObserved,
  USAGE_CHUNK,
} from "../test-support/model-call-fixture.ts";

let observed: Observed;
beforeEach(async () => {
  observed = await startObserved();
});
afterEach(() => observed.stop());

const answer = { choices: [{ message: { content: "Hi" } }], model: "m", usage: { prompt_tokens: 2 } };

describe("interceptModelCall", () => {
  test("takes what the caller reports about the result", async () => {
    const result = { text: "Hi", tokens: 5 };
    const extract = ({ text, tokens }: typeof result) => ({
      provider: "own",
      response: text,
      output_tokens: tokens,
      cost_usd: 0.01,
    });
    const { client } = observed;
    expect(await client.interceptModelCall("greeting", "ada", async () => result, extract)).toBe(result);
    expect(client.interceptModelCall("greeting", "ada", () => result, extract)).toBe(result);
    const call = { provider: "own", response: "Hi", output_tokens: 5, cost_usd: 0.01, error: false };
    expect(await observed.calls()).toMatchObject([call, call]);
  });

  test("recognizes results and streams of the providers", async () => {
    const { client, server } = observed;
    client.interceptModelCall("greeting", "ada", () => answer);
    server.script(CHAT, eventStream([...HELLO, USAGE_CHUNK]));
    const openai = observed.makeOpenai();
    const asked = { ...STREAM, stream_options: { include_usage: true } };
    const stream = await client.interceptModelCall("greeting", "ada", () =>
      openai.chat.completions.create(asked),
    );
    let chunks = 0;
    for await (const _ of stream) chunks++;
    expect(chunks).toBe(4);
    expect(await observed.calls()).toMatchObject([
      { model: "m", input_tokens: 2, response: "Hi" },
      { model: "gpt-5-mini-2026", input_tokens: 9, response: "Hello you" },
    ]);
  });

  test.each([
    {
      name: "OpenAI's responses",
      result: { object: "response", model: "m", output: [{ content: [{ text: "Hi" }] }] },
    },
    { name: "Anthropic", result: { type: "message", model: "m", content: [{ type: "text", text: "Hi" }] } },
    { name: "Google", result: { modelVersion: "m", candidates: [{ content: { parts: [{ text: "Hi" }] } }] } },
    { name: "nobody", result: { content: "Hi", model: "m" }, told: {} },
  ])("recognizes results of $name", async ({ result, told = { model: "m", response: "Hi" } }) => {
    observed.client.interceptModelCall("greeting", "ada", () => result);
    const [call] = await observed.calls();
    expect(call).toEqual({
      ...IDENTITY,
      type: "model_call",
      error: false,
      latency_ms: expect.any(Number),
      ...told,
    });
  });

  test("watches a generator that stays the same object", async () => {
    async function* generate() {
      yield chunk("a");
      yield chunk("b");
      return "end";
    }
    const made = generate();
    const stream = observed.client.interceptModelCall("greeting", "ada", () => made);
    expect(stream).toBe(made);
    expect((await stream.next()).value).toEqual(chunk("a"));
    expect(await stream.return("mine")).toEqual({ value: "mine", done: true });
    expect(await observed.calls()).toMatchObject([
      { response: "a", error: false, metadata: { outcome: "aborted" } },
    ]);
  });

  test("watches a stream whose steps are no promises", async () => {
    const steps = [{ done: false, value: chunk("a") }, { done: true }];
    const made = { [Symbol.asyncIterator]: () => ({ next: () => steps.shift() }) };
    const stream = observed.client.interceptModelCall("greeting", "ada", () => made) as object;
    const chunks: unknown[] = [];
    for await (const each of stream as AsyncIterable<unknown>) chunks.push(each);
    expect(chunks).toEqual([chunk("a")]);
    expect(await observed.calls()).toMatchObject([{ response: "a", error: false }]);
  });

  test("watches a readable stream", async () => {
    const source = new ReadableStream({
      start: (controller) => {
        controller.enqueue(chunk("a"));
        controller.close();
      },
    });
    const stream = observed.client.interceptModelCall("greeting", "ada", () => source);
    const reader = stream.getReader();
    expect((await reader.read()).value).toEqual(chunk("a"));
    expect((await reader.read()).done).toBe(true);
    expect(await observed.calls()).toMatchObject([{ response: "a", error: false }]);
  });

  test.each([
    { name: "an error", thrown: new RangeError("mine"), type: "RangeError" },
    {
      name: "a class of the caller's",
      thrown: new (class Overloaded extends Error {})("x"),
      type: "Overloaded",
    },
    { name: "a string", thrown: "oops", type: "String" },
    { name: "nothing", thrown: undefined, type: "Error" },
  ])("throws on $name, thrown or rejected", async ({ thrown, type }) => {
    const { client } = observed;
    const failing = () => {
      throw thrown;
    };
    let caught: unknown = "none";
    try {
      client.interceptModelCall("greeting", "ada", failing);
    } catch (error) {
      caught = error;
    }
    expect(caught).toBe(thrown);
    const rejected = client.interceptModelCall("greeting", "ada", () => Promise.reject(thrown));
    expect(await rejected.catch((error: unknown) => ({ error }))).toEqual({ error: thrown });
    const call = { error: true, error_type: type };
    expect(await observed.calls()).toMatchObject([call, call]);
  });

  test("records the call without what an extract that throws would tell", async () => {
    const { client, lines } = observed;
    const extract = () => {
      throw new Error("mine");
    };
    expect(client.interceptModelCall("greeting", "ada", () => 7, extract)).toBe(7);
    expect(await observed.calls()).toMatchObject([{ error: false }]);
    expect(lines).toEqual([expect.stringContaining("extract")]);
  });

  test("gives a frozen stream back as it is", () => {
    const stream = Object.freeze({ [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true }) }) });
    expect(observed.client.interceptModelCall("greeting", "ada", () => stream)).toBe(stream);
  });

  test("has no effect on a closed client but to make the call", async () => {
    await observed.client.close();
    expect(observed.client.interceptModelCall("greeting", "ada", () => 7)).toBe(7);
  });
});
