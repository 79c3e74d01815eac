import { createOpenAI } from "@ai-sdk/openai";
import {
  embed,
  generateObject,
  generateText,
  jsonSchema,
  streamText,
  wrapEmbeddingModel,
  wrapLanguageModel,
} from "ai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  CHAT,
  completion,
  eventStream,
  HELLO,
  IDENTITY,
  type Observed,
  OPENAI_CALL,
  startObserved,
  USAGE_CHUNK,
} from "../test-support/model-call-fixture.ts";
import { middleware } from "./ai-sdk.ts";
import { pauseOf } from "./ai-sdk-attempts.ts";

Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

let observed: Observed;
beforeEach(async () => {
  observed = await startObserved();
});
afterEach(() => observed.stop());

const PAUSE_MS = 30;
const busy = (pauseMs = PAUSE_MS) => ({ status: 503, headers: { "retry-after-ms": `${pauseMs}` }, body: {} });
const FAILED = { error: true, error_type: "AI_APICallError" };
const EXPOSURE = { ...IDENTITY, type: "exposure" };
const CALL = { ...OPENAI_CALL, provider: "openai", prompt: "user: Say hello" };
const ms = expect.any(Number);

const openai = () => createOpenAI({ apiKey: "k", baseURL: `${observed.server.url}/v1` });
const recording = () => middleware(observed.client, "greeting", { user: "ada" });
const asking = () => ({
  model: wrapLanguageModel({ model: openai().chat("gpt-5-mini"), middleware: recording() }),
  prompt: "Say hello",
});
const requests = () => observed.server.at(CHAT).length;
const drain = async (stream: AsyncIterable<unknown>) => {
  for await (const _ of stream);
};
const latencies = async () => (await observed.calls()).map((call) => Number(call.latency_ms));

describe("the attempts of a call are one call, which lasts from the first to the end of the last", () => {
  test("in generateText", async () => {
    observed.server.script(CHAT, busy(), busy(), completion());
    await generateText(asking());
    expect(requests()).toBe(3);
    expect(await observed.events()).toEqual([EXPOSURE, CALL]);
    expect((await latencies())[0]).toBeGreaterThanOrEqual(2 * PAUSE_MS - 4);
  });

  test("in streamText, which makes a prompt for each", async () => {
    observed.server.script(CHAT, busy(), eventStream([...HELLO, USAGE_CHUNK]));
    await drain(streamText(asking()).textStream);
    expect(await observed.events()).toEqual([EXPOSURE, { ...CALL, time_to_first_token_ms: ms }]);
    const [call] = await observed.calls();
    expect(Number(call?.time_to_first_token_ms)).toBeGreaterThanOrEqual(PAUSE_MS - 2);
  });

  test("in generateObject and embed", async () => {
    const choices = [{ index: 0, message: { role: "assistant", content: '{"a":1}' }, finish_reason: "stop" }];
    observed.server.script(CHAT, busy(), completion({ choices }));
    await generateObject({ ...asking(), schema: jsonSchema({ type: "object" }) });
    const body = { object: "list", model: "m", data: [{ object: "embedding", index: 0, embedding: [0.5] }] };
    observed.server.script("/v1/embeddings", busy(), { status: 200, body });
    const model = wrapEmbeddingModel({ model: openai().embedding("m"), middleware: recording() });
    await embed({ model, value: "Hi" });
    expect((await observed.calls()).map(({ error, prompt }) => [error, prompt])).toEqual([
      [false, "user: Say hello"],
      [false, "Hi"],
    ]);
  });

  test("in each of several calls at the same time", async () => {
    observed.server.script(CHAT, busy(), busy(), busy(), completion());
    const { model } = asking();
    await Promise.all(["a", "b", "a"].map((prompt) => generateText({ model, prompt })));
    expect(requests()).toBe(6);
    const calls = await observed.calls();
    expect(calls.map(({ error, prompt }) => [error, prompt]).sort()).toEqual([
      [false, "user: a"],
      [false, "user: a"],
      [false, "user: b"],
    ]);
    expect((await observed.events()).filter(({ type }) => type === "exposure")).toHaveLength(3);
  });

  test("also while a serverless platform waits for the events so far", async () => {
    const work: Promise<unknown>[] = [];
    await observed.stop();
    observed = await startObserved({ waitUntil: (promise) => work.push(promise) });
    observed.server.script(CHAT, busy(), completion());
    const answer = generateText(asking());
    await observed.schedule.fire(50);
    await answer;
    await observed.schedule.fire(50);
    await Promise.all(work);
    expect(observed.server.batches.flat().map(({ type, error }) => [type, error])).toEqual([
      ["exposure", undefined],
      ["model_call", false],
    ]);
  });
});

describe("a call whose last attempt failed", () => {
  test("is recorded once, when you flush", async () => {
    observed.server.script(CHAT, busy());
    await expect(generateText({ ...asking(), maxRetries: 1 })).rejects.toThrow();
    expect(requests()).toBe(2);
    expect(await observed.events()).toMatchObject([EXPOSURE, FAILED]);
    expect((await latencies())[0]).toBeGreaterThanOrEqual(PAUSE_MS - 2);
  });

  test("is recorded without a flush when no attempt follows its pause", async () => {
    observed.server.script(CHAT, busy(1));
    await expect(generateText({ ...asking(), maxRetries: 0 })).rejects.toThrow();
    await expect.poll(() => observed.client.lastRow?.row, { timeout: 20_000 }).toContain('"model_call"');
    expect(await observed.calls()).toMatchObject([FAILED]);
  });

  test("is recorded when the client closes", async () => {
    observed.server.script(CHAT, busy());
    await expect(generateText({ ...asking(), maxRetries: 0 })).rejects.toThrow();
    await observed.client.close();
    expect(observed.server.batches.flat()).toMatchObject([EXPOSURE, FAILED]);
  });

  test("at once if the AI SDK does not retry its error", async () => {
    observed.server.script(CHAT, busy(), { status: 400, body: { error: { message: "Bad" } } });
    await expect(generateText(asking())).rejects.toThrow();
    expect(observed.client.lastRow?.row).toContain('"model_call"');
    expect(await observed.events()).toMatchObject([EXPOSURE, FAILED]);
  });

  test("keeps a serverless platform waiting until it is recorded", async () => {
    const work: Promise<unknown>[] = [];
    await observed.stop();
    observed = await startObserved({ waitUntil: (promise) => work.push(promise) });
    observed.server.script(CHAT, busy(1));
    await expect(generateText({ ...asking(), maxRetries: 0 })).rejects.toThrow();
    const [, held] = work;
    await held;
    expect(observed.client.lastRow?.row).toContain('"model_call"');
  });

  test("is aborted if you give it up in its pause", async () => {
    observed.server.script(CHAT, busy(30_000));
    const end = new AbortController();
    const answer = generateText({ ...asking(), abortSignal: end.signal });
    await expect.poll(requests).toBe(1);
    end.abort();
    await expect(answer).rejects.toThrow();
    const [call] = await observed.calls();
    expect(call).toMatchObject({ error: false, metadata: { outcome: "aborted" } });
    expect(call).not.toHaveProperty("error_type");
  });
});

describe("not an attempt of the same call is", () => {
  const failing = (more: object = {}) =>
    expect(generateText({ ...asking(), maxRetries: 0, ...more })).rejects.toThrow();

  test("a call that you make again", async () => {
    observed.server.script(CHAT, busy(1), completion());
    const { model, prompt } = asking();
    await failing({ model });
    await generateText({ model, prompt });
    expect(await observed.calls()).toMatchObject([{ error: false }, FAILED]);
  });

  test("a stream that starts before the pause is over", async () => {
    observed.server.script(CHAT, busy(30_000), eventStream([...HELLO, USAGE_CHUNK]));
    const asked = asking();
    await drain(streamText({ ...asked, maxRetries: 0, onError: () => {} }).fullStream);
    await drain(streamText(asked).textStream);
    expect(await observed.calls()).toMatchObject([{ error: false }, FAILED]);
  });

  test.each([
    ["prompt", "Say bye", "ada"],
    ["user", "Say hello", "bob"],
  ])("a stream for another %s", async (_, prompt, user) => {
    observed.server.script(CHAT, busy(1), eventStream([...HELLO, USAGE_CHUNK]));
    const model = wrapLanguageModel({
      model: openai().chat("gpt-5-mini"),
      middleware: middleware(observed.client, "greeting"),
    });
    const stream = (said: string) => streamText({ model, prompt: said, maxRetries: 0, onError: () => {} });
    await observed.client.withUser("ada", () => drain(stream("Say hello").fullStream));
    await observed.client.withUser(user, () => drain(stream(prompt).fullStream));
    expect(await observed.calls()).toMatchObject([{ error: false }, FAILED]);
  });
});

describe("the pause after a failed attempt is", () => {
  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toUTCString();
  test.each<[string, number, object | undefined, number]>([
    ["2 s after the first", 1, undefined, 2_000],
    ["twice as long after each", 3, {}, 8_000],
    ["what an answer names in milliseconds", 1, { "retry-after-ms": "20", "retry-after": "9" }, 20],
    ["what an answer names in seconds", 1, { "retry-after": "3" }, 3_000],
    ["the usual one instead of a minute or more", 1, { "retry-after": "60" }, 2_000],
    ["a named one that is long, but shorter than the usual one", 7, { "retry-after": "100" }, 100_000],
    ["the usual one instead of a time that is over", 1, { "retry-after": inSeconds(-9) }, 2_000],
    ["the usual one instead of nonsense", 1, { "retry-after": "soon" }, 2_000],
  ])("%s", (_, attempts, responseHeaders, pauseMs) => {
    expect(pauseOf({ responseHeaders }, attempts)).toBe(pauseMs);
    expect(pauseOf({ cause: { responseHeaders } }, attempts)).toBe(pauseMs);
  });

  test("until a time that an answer names", () => {
    const pauseMs = pauseOf({ responseHeaders: { "retry-after": inSeconds(30) } }, 1);
    expect(pauseMs).toBeGreaterThan(25_000);
    expect(pauseMs).toBeLessThanOrEqual(30_000);
  });
});
