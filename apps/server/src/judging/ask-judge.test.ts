import type { Day, JudgementTask, ModelPrice } from "@assay/domain";
import { Histogram } from "prom-client";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type JudgeServer, openJudgeServer } from "../test-support/judge-server.ts";
import type { JudgeStep } from "../test-support/judge-step.ts";
import { MAX_ATTEMPTS } from "./ask-endpoint.ts";
import { type AskDeps, askJudge } from "./ask-judge.ts";
import type { JudgeEndpoint } from "./judge-endpoint.ts";
import { CONCURRENCY, JudgeGate } from "./judge-gate.ts";
import type { Question } from "./load-questions.ts";
import { openaiJudge } from "./openai-judge.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const TIMEOUT_MS = 2_000;
const price: ModelPrice = {
  model: "judge-1",
  effectiveFrom: "2026-01-01" as Day,
  inputUsdPerMillion: 1_000_000,
  cachedInputUsdPerMillion: null,
  outputUsdPerMillion: 0,
  reasoningUsdPerMillion: null,
  cacheWrite5mUsdPerMillion: null,
  cacheWrite1hUsdPerMillion: null,
  audioInputUsdPerMillion: null,
  audioOutputUsdPerMillion: null,
};
const task: JudgementTask = {
  orgId: "o",
  experimentId: "e",
  metric: "right",
  metricVersion: 1,
  eventId: "c",
  isRepeat: false,
  claim: "mine",
  judgeVersion: "judge-1@0",
  userId: "u",
  unitId: null,
  occurredAt: 0,
  day: "2026-11-20" as Day,
  hasFailed: false,
  attempts: 0,
  drawnAt: NOW,
};
const question: Question = {
  task,
  judge: { rubric: "Is it right?", scale: "pass_fail", sampleRate: 1 },
  judged: { input: "What is 2 + 2?", answer: "It is 4." },
  price,
};

let server: JudgeServer;
let endpoint: JudgeEndpoint;
let gate: JudgeGate;
let deps: AskDeps;
beforeAll(async () => {
  server = await openJudgeServer();
  endpoint = await openaiJudge(server.settings, { timeoutMs: TIMEOUT_MS });
});
afterAll(() => server.close());
beforeEach(() => {
  const clock = { now: () => NOW };
  const judgeSeconds = new Histogram({ name: "judge_seconds", help: "Time.", registers: [] });
  gate = new JudgeGate(clock, CONCURRENCY);
  deps = { endpoint, gate, clock, metrics: { judgeSeconds }, signal: new AbortController().signal };
});

const ask = (change: Partial<JudgementTask> = {}) =>
  askJudge({ ...question, task: { ...task, ...change } }, deps);
let serial = 0;
/** A call of its own, since the server answers the same key alike. */
const askFresh = (change: Partial<JudgementTask> = {}) => ask({ eventId: `c${serial++}`, ...change });

test("a score comes with its reason, its cost and the answer's length", async () => {
  server.script({ content: '{"reason":"Four it is.","score":"pass"}' });
  const attempt = await askFresh();
  expect(attempt?.outcome).toEqual({
    kind: "scored",
    score: 1,
    reason: "Four it is.",
    answerLength: 8,
    isCut: false,
  });
  expect(attempt?.usage.inputTokens).toBeGreaterThan(10);
  expect(attempt?.usage.costUsd).toBe(attempt?.usage.inputTokens);
});

test("what has no price has no cost", async () => {
  const attempt = await askJudge({ ...question, task: { ...task, eventId: "unpriced" }, price: null }, deps);
  expect(attempt?.usage).toMatchObject({ inputTokens: expect.any(Number), costUsd: null });
});

test("after an unreadable answer, the judge is asked again under another key, and all answers are paid", async () => {
  const before = server.counts().charged;
  server.script({ content: "I'd say pass." }, { content: '{"score": 7}' }, null);
  const attempt = await askFresh();
  expect(attempt?.outcome.kind).toBe("scored");
  expect(server.counts().charged - before).toBe(3);
  const one = await askFresh();
  expect(attempt?.usage.inputTokens).toBe(3 * (one?.usage.inputTokens ?? 0));
});

test("the third answer that cannot be read is a failure", async () => {
  server.script({ content: "" }, { content: "{" }, { content: "I'd say pass." });
  const attempt = await askFresh();
  expect(attempt?.outcome).toEqual({
    kind: "failed",
    cause: "malformed-answer",
    detail: expect.stringContaining("I'd say pass."),
  });
  expect(attempt?.usage.costUsd).toBeGreaterThan(0);
});

test.each<readonly [string, JudgeStep, string, RegExp]>([
  ["the judge refuses", { refusal: "I won't." }, "refused", /I won't/],
  ["a content filter stops it", { status: 400, error: { code: "content_filter" } }, "refused", /400/],
  [
    "the endpoint rejects the request",
    { status: 413, error: { message: "Too long." } },
    "rejected",
    /Too long/,
  ],
])("when %s the judgement fails at once, with the reason", async (_name, step, cause, detail) => {
  server.script(step);
  const attempt = await askFresh();
  expect(attempt?.outcome).toEqual({ kind: "failed", cause, detail: expect.stringMatching(detail) });
  expect(gate.fault).toBeNull();
});

describe.each<readonly [string, JudgeStep, string]>([
  ["the endpoint fails", { status: 500 }, "server-error"],
  ["the endpoint takes too long", { line: "hang" }, "timed-out"],
  ["the line breaks", { line: "cut-before" }, "unreachable"],
])("when %s", (_name, step, cause) => {
  test.each([0, 3, MAX_ATTEMPTS - 2])("after %i attempts it is tried again later", async (attempts) => {
    server.script(step);
    const { outcome } = (await askFresh({ attempts })) ?? {};
    expect(outcome).toMatchObject({ kind: "postponed", cause, isAttempt: true });
    const delay = outcome?.kind === "postponed" ? outcome.notBefore - NOW : Number.NaN;
    expect(delay).toBeGreaterThanOrEqual(1_000 * 2 ** attempts);
    expect(delay).toBeLessThanOrEqual(2_000 * 2 ** attempts);
  });

  test("the last attempt is a failure", async () => {
    server.script(step);
    expect(await askFresh({ attempts: MAX_ATTEMPTS - 1 })).toMatchObject({
      outcome: { kind: "failed", cause },
    });
  });

  test("no attempt is counted while every request fails", async () => {
    gate.faulted("It is down.");
    server.script(step);
    const attempt = await askFresh({ attempts: MAX_ATTEMPTS - 1 });
    expect(attempt?.outcome).toMatchObject({ kind: "postponed", isAttempt: false });
  });
});

test("an endpoint that wants to be asked in years is asked again within the hour", async () => {
  server.script({ status: 503, retryAfter: "999999999" });
  const { outcome } = (await askFresh()) ?? {};
  expect(outcome).toMatchObject({ kind: "postponed", notBefore: NOW + 3_600_000 });
});

test("an answer that was paid and lost on its way comes again under the same key", async () => {
  const before = server.counts();
  server.script({ line: "cut-after" }, null);
  expect((await ask({ eventId: "lost" }))?.outcome.kind).toBe("postponed");
  expect((await ask({ eventId: "lost", attempts: 1 }))?.outcome.kind).toBe("scored");
  const after = server.counts();
  expect([after.charged - before.charged, after.replayed - before.replayed]).toEqual([1, 1]);
});

test("a rate limit is no attempt and stops all others for as long as the endpoint says", async () => {
  server.script({ status: 429, retryAfter: "7" });
  const attempt = await askFresh();
  expect(attempt?.outcome).toMatchObject({
    kind: "postponed",
    cause: "rate-limited",
    isAttempt: false,
    notBefore: NOW + 7_000,
  });
  expect(gate.width).toBe(0);
  expect(gate.fault).toBeNull();
});

test.each([401, 403, 404])("a %i is nobody's attempt but the endpoint's fault", async (status) => {
  server.script({ status });
  expect(await askFresh()).toBeNull();
  expect(gate.fault?.detail).toContain(String(status));
  expect(gate.fault?.detail).not.toContain(server.settings.apiKey);
});

test("a request is aborted when the service stops, and nothing becomes of it", async () => {
  server.script({ line: "hang" });
  const stopping = new AbortController();
  const asked = askJudge(
    { ...question, task: { ...task, eventId: "stopped" } },
    { ...deps, signal: stopping.signal },
  );
  stopping.abort();
  expect(await asked).toBeNull();
  expect(gate.fault).toBeNull();
});
