import { describe, expect, test } from "vitest";
import { type Answer, backoffMs, reasonOf, verdictOn } from "./retry-policy.ts";

const answer = (status: number, retryAfterMs: number | null = null, type?: string): Answer => ({
  kind: "response",
  status,
  retryAfterMs,
  etag: null,
  body: type === undefined ? undefined : { type },
});
const ALLOWANCE = "https://assay.dev/problems/allowance-exhausted";
const RATE = "https://assay.dev/problems/rate-limited";
const NETWORK: Answer = { kind: "network", detail: "reset" };

describe("verdictOn", () => {
  test.each([
    { name: "accepts 202", answer: answer(202), tries: 1, verdict: { action: "accept" } },
    {
      name: "retries a network failure",
      answer: NETWORK,
      tries: 1,
      verdict: { action: "retry", delayMs: 500 },
    },
    { name: "retries 408", answer: answer(408), tries: 2, verdict: { action: "retry", delayMs: 1_000 } },
    {
      name: "retries a rate limit",
      answer: answer(429, null, RATE),
      tries: 1,
      verdict: { action: "retry", delayMs: 500 },
    },
    {
      name: "retries 429 of unknown kind",
      answer: answer(429),
      tries: 1,
      verdict: { action: "retry", delayMs: 500 },
    },
    { name: "retries 500", answer: answer(500), tries: 4, verdict: { action: "retry", delayMs: 4_000 } },
    {
      name: "retries 503 after Retry-After",
      answer: answer(503, 7_000),
      tries: 1,
      verdict: { action: "retry", delayMs: 7_000 },
    },
    {
      name: "gives up after five tries",
      answer: answer(500),
      tries: 5,
      verdict: { action: "drop", reason: "status 500, 5 times" },
    },
    {
      name: "gives up on a dead network",
      answer: NETWORK,
      tries: 5,
      verdict: { action: "drop", reason: "reset, 5 times" },
    },
    { name: "halves on 413 at any try", answer: answer(413), tries: 5, verdict: { action: "halve" } },
    {
      name: "pauses for 5 minutes on 401 and keeps the batch",
      answer: answer(401),
      tries: 1,
      verdict: { action: "pause", pauseMs: 300_000, keepsBatch: true, reason: "status 401" },
    },
    {
      name: "pauses on 403",
      answer: answer(403),
      tries: 5,
      verdict: { action: "pause", pauseMs: 300_000, keepsBatch: true, reason: "status 403" },
    },
    {
      name: "drops and pauses up to Retry-After when the allowance is used up",
      answer: answer(429, 86_400_000, ALLOWANCE),
      tries: 1,
      verdict: {
        action: "pause",
        pauseMs: 86_400_000,
        keepsBatch: false,
        reason: "status 429 allowance-exhausted",
      },
    },
    {
      name: "pauses for 5 minutes when a used-up allowance names no time",
      answer: answer(429, null, ALLOWANCE),
      tries: 1,
      verdict: {
        action: "pause",
        pauseMs: 300_000,
        keepsBatch: false,
        reason: "status 429 allowance-exhausted",
      },
    },
    {
      name: "drops on 400",
      answer: answer(400),
      tries: 1,
      verdict: { action: "drop", reason: "status 400" },
    },
    {
      name: "drops on 404",
      answer: answer(404),
      tries: 1,
      verdict: { action: "drop", reason: "status 404" },
    },
  ])("$name", ({ answer, tries, verdict }) => expect(verdictOn(answer, tries, 0.5)).toEqual(verdict));
});

describe("backoffMs", () => {
  test.each([
    { name: "may be nothing", tries: 3, random: 0, retryAfterMs: null, ms: 0 },
    { name: "stays below 1 s at first", tries: 1, random: 0.999, retryAfterMs: null, ms: 999 },
    { name: "doubles", tries: 4, random: 0.999, retryAfterMs: null, ms: 7_992 },
    { name: "stays below 30 s", tries: 50, random: 0.999, retryAfterMs: null, ms: 29_970 },
    { name: "is at least Retry-After", tries: 1, random: 0.999, retryAfterMs: 20_000, ms: 20_000 },
    { name: "is not cut by a shorter Retry-After", tries: 4, random: 0.999, retryAfterMs: 1_000, ms: 7_992 },
    { name: "heeds Retry-After up to 5 minutes", tries: 1, random: 0, retryAfterMs: 1e15, ms: 300_000 },
  ])("$name", ({ tries, random, retryAfterMs, ms }) => {
    expect(backoffMs(answer(503, retryAfterMs), tries, random)).toBeCloseTo(ms, 6);
  });
});

test.each([
  [NETWORK, "reset"],
  [answer(500), "status 500"],
  [answer(429, null, RATE), "status 429 rate-limited"],
])("reasonOf names an answer", (given, reason) => expect(reasonOf(given)).toBe(reason));
