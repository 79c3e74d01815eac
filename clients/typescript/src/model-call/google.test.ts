import { ApiError, GoogleGenAI } from "@google/genai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ScriptedResponse } from "../../../scenario-server/scripted-server.ts";
import { IDENTITY, type Observed, startObserved } from "../../test-support/model-call-fixture.ts";

const MODEL = "gemini-2.5-flash";
const PATH = `/v1/models/${MODEL}:generateContent`;
const STREAM_PATH = `/v1/models/${MODEL}:streamGenerateContent?alt=sse`;
const ASK = { model: MODEL, contents: "Say hello" };
const USAGE = {
  promptTokenCount: 9,
  toolUsePromptTokenCount: 2,
  cachedContentTokenCount: 4,
  candidatesTokenCount: 2,
  thoughtsTokenCount: 1,
  totalTokenCount: 14,
};

let observed: Observed;
let google: GoogleGenAI;
let wrapped: GoogleGenAI;
beforeEach(async () => {
  observed = await startObserved();
  observed.server.script(PATH, { status: 200, body: answer([{ text: "Hello you" }]) });
  observed.server.script(STREAM_PATH, events(CHUNKS));
  google = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: observed.server.url } });
  wrapped = observed.client.wrap(google, "greeting", { user: "ada" });
});
afterEach(() => observed.stop());

const ms = expect.any(Number);
const EXPOSURE = { ...IDENTITY, type: "exposure" };
const CALL = {
  ...IDENTITY,
  type: "model_call",
  latency_ms: ms,
  provider: "localhost",
  requested_model: MODEL,
  model: "gemini-2.5-flash-001",
  input_tokens: 11,
  cached_input_tokens: 4,
  output_tokens: 3,
  reasoning_tokens: 1,
  finish_reason: "STOP",
  error: false,
  prompt: "Say hello",
  response: "Hello you",
};

describe("generateContent", () => {
  test("is recorded with an exposure", async () => {
    const response = await wrapped.models.generateContent(ASK);
    expect(response.text).toBe("Hello you");
    expect(await observed.events()).toEqual([EXPOSURE, CALL]);
  });

  test.each([
    { name: "a part", contents: { text: "Hi" }, prompt: "user: Hi" },
    {
      name: "parts",
      contents: ["What?", { inlineData: { mimeType: "image/png", data: "AAAA" } }],
      prompt: "user: What?\n[image]",
    },
    { name: "a message", contents: { role: "user", parts: [{ text: "Hi" }] }, prompt: "user: Hi" },
    {
      name: "messages",
      contents: [
        { role: "user", parts: [{ text: "Find it." }] },
        { role: "model", parts: [{ functionCall: { name: "find", args: { q: 1 } } }] },
        { role: "user", parts: [{ functionResponse: { name: "find", response: { found: 42 } } }] },
      ],
      prompt: 'user: Find it.\n\nmodel: [tool_call find({"q":1})]\n\nuser: {"found":42}',
    },
  ])("reads $name as contents", async ({ contents, prompt }) => {
    await wrapped.models.generateContent({ model: MODEL, contents });
    expect((await observed.events())[1]).toEqual({ ...CALL, prompt });
  });

  test.each([
    { name: "a text", systemInstruction: "Be kind." },
    { name: "a message", systemInstruction: { parts: [{ text: "Be kind." }] } },
    { name: "parts", systemInstruction: [{ text: "Be kind." }] },
  ])("reads $name as the system instruction", async ({ systemInstruction }) => {
    await wrapped.models.generateContent({ ...ASK, config: { systemInstruction } });
    expect((await observed.events())[1]).toEqual({ ...CALL, prompt: "system: Be kind.\n\nuser: Say hello" });
  });

  test("keeps the text of the first candidate, tool calls as text, and no thoughts", async () => {
    const parts = [
      { text: "Hm.", thought: true },
      { text: "Wait." },
      { functionCall: { name: "find", args: { q: 1 } } },
    ];
    const body = answer(parts);
    const second = {
      index: 1,
      content: { role: "model", parts: [{ text: "Other" }] },
      finishReason: "MAX_TOKENS",
    };
    observed.server.script(PATH, {
      status: 200,
      body: { ...body, candidates: [...body.candidates, second] },
    });
    await wrapped.models.generateContent({ ...ASK, config: { candidateCount: 2 } });
    const response = 'Wait.\n[tool_call find({"q":1})]';
    expect((await observed.events())[1]).toEqual({ ...CALL, response });
  });

  test("that is blocked has the reason, and no counts that were not reported", async () => {
    const body = { promptFeedback: { blockReason: "SAFETY" }, usageMetadata: { promptTokenCount: 9 } };
    observed.server.script(PATH, { status: 200, body });
    await wrapped.models.generateContent(ASK);
    const [, call] = await observed.events();
    expect(call).toMatchObject({ finish_reason: "SAFETY", input_tokens: 9, error: false });
    for (const field of ["output_tokens", "reasoning_tokens", "cached_input_tokens", "response"]) {
      expect(call).not.toHaveProperty(field);
    }
  });

  test("that fails rejects with the provider's own error", async () => {
    observed.server.script(PATH, { status: 400, body: { error: { code: 400, message: "Bad" } } });
    await expect(wrapped.models.generateContent(ASK)).rejects.toBeInstanceOf(ApiError);
    expect((await observed.events())[1]).toMatchObject({
      error: true,
      error_type: "ApiError",
      prompt: "Say hello",
    });
  });

  test("that the provider's library retries is one call", async () => {
    const httpOptions = { baseUrl: observed.server.url, retryOptions: { attempts: 2 } };
    const retrying = new GoogleGenAI({ apiKey: "k", httpOptions });
    observed.server.script(
      PATH,
      { status: 503, body: {} },
      { status: 200, body: answer([{ text: "Hello you" }]) },
    );
    await observed.client.wrap(retrying, "greeting", { user: "ada" }).models.generateContent(ASK);
    expect(await observed.events()).toEqual([EXPOSURE, CALL]);
  });

  test("that the caller aborts is recorded as aborted", async () => {
    observed.server.script(PATH, "hang");
    const controller = new AbortController();
    const asked = wrapped.models.generateContent({ ...ASK, config: { abortSignal: controller.signal } });
    await observed.server.received(PATH, 1);
    controller.abort();
    await expect(asked).rejects.toThrow();
    expect((await observed.events())[1]).toMatchObject({ error: false, metadata: { outcome: "aborted" } });
  });
});

describe("generateContentStream", () => {
  test("is recorded when it ends, with the last of its counts", async () => {
    const stream = await wrapped.models.generateContentStream(ASK);
    const texts: (string | undefined)[] = [];
    for await (const chunk of stream) texts.push(chunk.text);
    expect(texts).toEqual(["Hello", " you"]);
    expect(await observed.events()).toEqual([EXPOSURE, { ...CALL, time_to_first_token_ms: ms }]);
  });

  test("that the caller leaves early is recorded as aborted, with what was received", async () => {
    for await (const chunk of await wrapped.models.generateContentStream(ASK)) {
      expect(chunk.text).toBe("Hello");
      break;
    }
    expect((await observed.events())[1]).toMatchObject({
      input_tokens: 9,
      response: "Hello",
      error: false,
      metadata: { outcome: "aborted" },
    });
  });

  test("that breaks off fails as without us", async () => {
    observed.server.script(STREAM_PATH, { ...events(CHUNKS.slice(0, 1)), end: "reset" });
    const stream = await wrapped.models.generateContentStream(ASK);
    await expect(drain(stream)).rejects.toThrow();
    expect((await observed.events())[1]).toMatchObject({ error: true, response: "Hello" });
  });

  test("that never starts fails as without us", async () => {
    observed.server.script(STREAM_PATH, { status: 400, body: { error: { code: 400, message: "Bad" } } });
    await expect(wrapped.models.generateContentStream(ASK)).rejects.toBeInstanceOf(ApiError);
    expect((await observed.events())[1]).toMatchObject({ error: true, error_type: "ApiError" });
  });
});

test("a model on Vertex is recorded in the same way", async () => {
  const path = `/v1beta1/publishers/google/models/${MODEL}:generateContent`;
  observed.server.script(path, { status: 200, body: answer([{ text: "Hello you" }]) });
  const vertex = new GoogleGenAI({
    vertexai: true,
    apiKey: "k",
    httpOptions: { baseUrl: observed.server.url },
  });
  await observed.client.wrap(vertex, "greeting", { user: "ada" }).models.generateContent(ASK);
  expect(await observed.events()).toEqual([EXPOSURE, CALL]);
});

test("a message of a chat is recorded", async () => {
  expect((await wrapped.chats.create({ model: MODEL }).sendMessage({ message: "Hi" })).text).toBe(
    "Hello you",
  );
  expect(await observed.events()).toEqual([EXPOSURE, { ...CALL, prompt: "user: Hi" }]);
});

test("what is not a model call is left alone", async () => {
  const path = `/v1/models/${MODEL}:countTokens`;
  observed.server.script(path, { status: 200, body: { totalTokens: 7 } });
  expect(await wrapped.models.countTokens(ASK)).toMatchObject({ totalTokens: 7 });
  expect(wrapped).toBeInstanceOf(GoogleGenAI);
  expect([wrapped.models, wrapped.files]).toEqual([wrapped.models, google.files]);
  expect(await observed.events()).toEqual([]);
});

function answer(parts: readonly unknown[], changes: Record<string, unknown> = {}) {
  const candidates = [{ index: 0, content: { role: "model", parts }, finishReason: "STOP", ...changes }];
  return { candidates, usageMetadata: USAGE, modelVersion: "gemini-2.5-flash-001", responseId: "r1" };
}

function events(list: readonly unknown[]): ScriptedResponse {
  const chunks = list.map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`);
  return { status: 200, headers: { "content-type": "text/event-stream" }, chunks };
}

async function drain(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream);
}

const CHUNKS = [
  {
    ...answer([{ text: "Hello" }], { finishReason: undefined }),
    usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 },
  },
  answer([{ text: " you" }]),
];
