import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { judgement } from "../test-support/judge-completion.ts";
import { type JudgeServer, openJudgeServer } from "../test-support/judge-server.ts";
import type { JudgeStep } from "../test-support/judge-step.ts";
import type { JudgeQuestion, JudgeReply } from "./judge-endpoint.ts";
import { openaiJudge } from "./openai-judge.ts";

let server: JudgeServer;
beforeEach(async () => {
  server = await openJudgeServer();
});
afterEach(() => server.close());

const question: JudgeQuestion = {
  judge: { rubric: "Is it polite?", scale: "1-5", sampleRate: 1 },
  judged: { input: "Hi", answer: "Hello" },
  idempotencyKey: "key-1",
  signal: new AbortController().signal,
};

async function ask(step: JudgeStep | null, changed: Partial<JudgeQuestion> = {}): Promise<JudgeReply> {
  const judge = await openaiJudge(server.settings, step?.line === "hang" ? { timeoutMs: 200 } : {});
  server.script(step);
  return judge.ask({ ...question, ...changed });
}

test("asks for a structured answer at temperature 0, under the question's key", async () => {
  const reply = await ask({ content: judgement(4, "Kind.") });
  expect(reply).toEqual({
    kind: "scored",
    score: 4,
    reason: "Kind.",
    usage: {
      inputTokens: expect.any(Number),
      cachedInputTokens: 0,
      outputTokens: 7,
      reasoningTokens: 0,
    },
  });
  expect(server.seen[0]?.headers["idempotency-key"]).toBe("key-1");
  expect(server.seen[0]?.body).toMatchObject({
    model: "judge-1",
    temperature: 0,
    response_format: { type: "json_schema", json_schema: { name: "judgement", strict: true } },
    messages: [{ role: "system" }, { role: "user", content: '{"input":"Hi","answer":"Hello"}' }],
  });
});

test("a judge of one's own machine is asked without a key", async () => {
  const judge = await openaiJudge({ ...server.settings, apiKey: null });
  expect(await judge.ask(question)).toMatchObject({ kind: "fault" });
  expect(server.seen[0]?.headers.authorization).toBeUndefined();
});

describe("what the judge does is a reply", () => {
  const rows: readonly { name: string; step: JudgeStep; reply: object }[] = [
    {
      name: "a refusal",
      step: { refusal: "I may not." },
      reply: { kind: "refused", detail: "I may not.", usage: {} },
    },
    {
      name: "a filtered answer",
      step: { content: "", finishReason: "content_filter" },
      reply: { kind: "refused", usage: {} },
    },
    {
      name: "a filtered question",
      step: { status: 400, error: { code: "content_filter", message: "No." } },
      reply: { kind: "refused", detail: "The judge answers 400: No." },
    },
    { name: "prose", step: { content: "It is polite." }, reply: { kind: "malformed", usage: {} } },
    { name: "a score off the scale", step: { content: judgement(6) }, reply: { kind: "malformed" } },
    {
      name: "an answer that is cut off",
      step: { content: '{"reason":"Ki', finishReason: "length" },
      reply: { kind: "malformed", detail: expect.stringMatching(/^The answer was cut off/) },
    },
    { name: "a body that is no JSON", step: { body: "{" }, reply: { kind: "malformed", usage: null } },
    {
      name: "a completion without choices",
      step: { body: '{"choices":[]}' },
      reply: { kind: "malformed", usage: null },
    },
    {
      name: "usage of another shape",
      step: {
        body: JSON.stringify({
          choices: [{ message: { content: judgement(2) } }],
          usage: { prompt_tokens: -1 },
        }),
      },
      reply: { kind: "scored", usage: { inputTokens: null, outputTokens: null } },
    },
    {
      name: "another API",
      step: { body: '{"hello":1}' },
      reply: { kind: "fault", detail: expect.stringContaining("ASSAY_JUDGE_URL") },
    },
    { name: "no object", step: { body: "[]" }, reply: { kind: "fault" } },
    {
      name: "a proxy's failure",
      step: { body: '{"error":{"code":429,"message":"Busy."}}' },
      reply: { kind: "transient", cause: "rate-limited", detail: "The judge answers 429: Busy." },
    },
    {
      name: "a proxy's failure without a status",
      step: { body: '{"error":{"code":"x"}}' },
      reply: { kind: "transient", cause: "server-error" },
    },
    {
      name: "429 with seconds",
      step: { status: 429, retryAfter: "7" },
      reply: {
        kind: "transient",
        cause: "rate-limited",
        retryAfterMs: 7_000,
        detail: "The judge answers 429: It failed.",
      },
    },
    {
      name: "429 without",
      step: { status: 429 },
      reply: { kind: "transient", cause: "rate-limited", retryAfterMs: null },
    },
    {
      name: "429 with another date",
      step: { status: 429, retryAfter: "soon" },
      reply: { kind: "transient", retryAfterMs: null },
    },
    {
      name: "429 with a date that is over",
      step: { status: 429, retryAfter: "Thu, 01 Jan 1970 00:00:00 GMT" },
      reply: { kind: "transient", retryAfterMs: 0 },
    },
    {
      name: "an account without credit",
      step: { status: 429, error: { code: "insufficient_quota" } },
      reply: { kind: "fault", detail: expect.stringContaining("credit") },
    },
    { name: "500", step: { status: 500 }, reply: { kind: "transient", cause: "server-error" } },
    {
      name: "503 with seconds",
      step: { status: 503, retryAfter: "2" },
      reply: { kind: "transient", cause: "server-error", retryAfterMs: 2_000 },
    },
    { name: "408", step: { status: 408 }, reply: { kind: "transient", cause: "timed-out" } },
    { name: "409", step: { status: 409 }, reply: { kind: "transient", cause: "server-error" } },
    { name: "no answer", step: { line: "hang" }, reply: { kind: "transient", cause: "timed-out" } },
    {
      name: "a line that is cut",
      step: { line: "cut-before" },
      reply: { kind: "transient", cause: "unreachable", detail: expect.stringMatching(/\(\w+\)$/) },
    },
    {
      name: "too long a question",
      step: { status: 400, error: { code: "context_length_exceeded" } },
      reply: { kind: "rejected" },
    },
    { name: "413", step: { status: 413 }, reply: { kind: "rejected" } },
    {
      name: "402",
      step: { status: 402 },
      reply: { kind: "fault", detail: expect.stringContaining("credit") },
    },
    {
      name: "403",
      step: { status: 403 },
      reply: { kind: "fault", detail: expect.stringContaining("ASSAY_JUDGE_API_KEY") },
    },
    {
      name: "404",
      step: { status: 404 },
      reply: { kind: "fault", detail: expect.stringContaining("ASSAY_JUDGE_MODEL") },
    },
    {
      name: "a model that a 400 does not know",
      step: { status: 400, error: { code: "model_not_found" } },
      reply: { kind: "fault" },
    },
    { name: "a redirection to nowhere", step: { status: 304 }, reply: { kind: "fault" } },
  ];
  test.each(rows)("$name", async ({ step, reply }) => {
    expect(await ask(step)).toMatchObject(reply);
    expect(server.counts().requests).toBe(1);
  });
});

test("waits as long as a date says, by the endpoint's clock", async () => {
  const reply = await ask({ status: 429, retryAfter: new Date(Date.now() + 60_000).toUTCString() });
  expect(reply).toMatchObject({ retryAfterMs: expect.any(Number) });
  expect((reply as { retryAfterMs: number }).retryAfterMs).toBeGreaterThan(57_000);
});

test("nobody listens", async () => {
  const gone = await openJudgeServer();
  await gone.close();
  const judge = await openaiJudge(gone.settings);
  expect(await judge.ask(question)).toEqual({
    kind: "transient",
    cause: "unreachable",
    detail: "The judge cannot be reached (ECONNREFUSED)",
    retryAfterMs: null,
  });
});

test("a question ends when its signal says so", async () => {
  const stop = new AbortController();
  const judge = await openaiJudge(server.settings);
  server.script({ line: "hang" });
  const reply = judge.ask({ ...question, signal: stop.signal });
  await expect.poll(() => server.counts().inFlight).toBe(1);
  stop.abort();
  expect(await reply).toEqual({ kind: "aborted" });
  expect(await judge.ask({ ...question, signal: stop.signal })).toEqual({ kind: "aborted" });
  expect(server.counts().requests).toBe(1);
});

test("what a model does not take is left out from then on, and asked again at once under another key", async () => {
  const judge = await openaiJudge(server.settings);
  server.lack("temperature", "response_format");
  server.always({ content: judgement(3) });
  const [first, second] = await Promise.all([judge.ask(question), judge.ask(question)]);
  expect([first.kind, second.kind]).toEqual(["scored", "scored"]);
  expect(server.counts()).toMatchObject({ charged: 1, replayed: 1 });
  const before = server.counts().requests;
  expect(await judge.ask(question)).toMatchObject({ kind: "scored" });
  expect(server.counts().requests).toBe(before + 1);
  expect(server.seen.at(-1)?.body).not.toHaveProperty("temperature");
  expect(server.seen.at(-1)?.body).not.toHaveProperty("response_format");
});

test.each([
  { param: null, message: "'temperature' does not support 0 with this model.", requests: 2 },
  { param: "response_format.type", message: "Unknown.", requests: 2 },
  { param: "messages", message: "They talk of temperature.", requests: 1 },
])("$requests requests when a 400 names $param: $message", async ({ requests, ...error }) => {
  await ask({ status: 400, error });
  expect(server.counts().requests).toBe(requests);
});

test("asked again under the same key after the line broke, the answer is the same and charged once", async () => {
  const judge = await openaiJudge(server.settings);
  server.script({ line: "cut-after" });
  expect(await judge.ask(question)).toMatchObject({ kind: "transient", cause: "unreachable" });
  expect(await judge.ask(question)).toMatchObject({ kind: "scored" });
  expect(server.counts()).toMatchObject({ requests: 2, charged: 1, replayed: 1 });
});

test("the key is in no detail, whatever the endpoint says", async () => {
  const { apiKey } = server.settings;
  const padded = { message: `${"a".repeat(280)} ${apiKey} and ${apiKey}` };
  for (const status of [400, 401, 403, 429, 500]) {
    const reply = await ask({ status, error: padded });
    const { detail } = reply as { detail: string };
    expect(detail).not.toContain("sk-a");
    expect(detail.length).toBeLessThan(420);
  }
  const wrong = await openaiJudge({ ...server.settings, apiKey: "sk-a_wrong_key" });
  expect(JSON.stringify(await wrong.ask(question))).not.toContain("sk-a");
});
