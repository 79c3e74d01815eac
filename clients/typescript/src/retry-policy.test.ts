import { describe, expect, test } from "vitest";
import { backoffMs, type Verdict, verdictOn } from "./retry-policy.ts";

test.each<{ name: string; status: number; slug?: string; verdict: Verdict }>([
  { name: "accepts 202", status: 202, verdict: "accept" },
  { name: "retries a network failure", status: 0, verdict: "retry" },
  { name: "retries a redirect", status: 307, verdict: "retry" },
  { name: "retries 408", status: 408, verdict: "retry" },
  { name: "retries a rate limit", status: 429, slug: "rate-limited", verdict: "retry" },
  { name: "retries 429 of unknown kind", status: 429, verdict: "retry" },
  { name: "retries 500", status: 500, verdict: "retry" },
  { name: "halves on 413", status: 413, verdict: "halve" },
  { name: "refuses on 401", status: 401, verdict: "refuse" },
  { name: "refuses on 403", status: 403, verdict: "refuse" },
  {
    name: "drops on a used-up allowance",
    status: 429,
    slug: "allowance-exhausted",
    verdict: "exhaust",
  },
  { name: "drops on 400", status: 400, verdict: "drop" },
  { name: "drops on 404", status: 404, verdict: "drop" },
])("verdictOn $name", ({ status, slug = "", verdict }) =>
  expect(verdictOn(status, `status ${status} ${slug}`.trim())).toBe(verdict),
);

describe("backoffMs", () => {
  test.each([
    { name: "may be nothing", tries: 3, random: 0, retryAfterMs: 0, ms: 0 },
    { name: "stays below 1 s at first", tries: 1, random: 0.999, retryAfterMs: 0, ms: 999 },
    { name: "doubles", tries: 4, random: 0.999, retryAfterMs: 0, ms: 7_992 },
    { name: "stays below 30 s", tries: 50, random: 0.999, retryAfterMs: 0, ms: 29_970 },
    { name: "is at least Retry-After", tries: 1, random: 0.999, retryAfterMs: 20_000, ms: 20_000 },
    { name: "is not cut by a shorter Retry-After", tries: 4, random: 0.999, retryAfterMs: 1_000, ms: 7_992 },
    { name: "respects Retry-After up to 5 minutes", tries: 1, random: 0, retryAfterMs: 1e15, ms: 300_000 },
  ])("$name", ({ tries, random, retryAfterMs, ms }) => {
    expect(backoffMs({ retryAfterMs }, tries, random)).toBeCloseTo(ms, 6);
  });
});
