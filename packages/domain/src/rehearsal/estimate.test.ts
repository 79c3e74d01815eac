import { expect, test } from "vitest";
import type { ModelPrice } from "../price/model-price.ts";
import { planOf } from "../test-support/rehearsals.ts";
import type { Day } from "../time/day.ts";
import { estimateUsd } from "./estimate.ts";
import type { RehearsalArm } from "./rehearsal.ts";

/** A dollar per input token, ten per output token. */
const priceOf = (model: string): ModelPrice => ({
  ...{ model, effectiveFrom: "2026-01-01" as Day, inputUsdPerMillion: 1e6, outputUsdPerMillion: 1e7 },
  ...{ cachedInputUsdPerMillion: null, cacheWrite5mUsdPerMillion: null, cacheWrite1hUsdPerMillion: null },
  ...{ audioInputUsdPerMillion: null, reasoningUsdPerMillion: null, audioOutputUsdPerMillion: null },
});
const arm = { name: "a", prompt: "123456", model: "m", parameters: {} };
const arms: readonly RehearsalArm[] = [
  arm,
  { ...arm, prompt: null, parameters: { max_tokens: 7 } },
  { ...arm, parameters: { max_completion_tokens: 5, max_tokens: 7 } },
  { ...arm, parameters: { max_tokens: "7" } },
];
const priced = {
  plan: planOf({ arms, judge: { rubric: "123", mode: "pairwise", scale: "1-5" } }),
  judgeModel: "j",
  prices: [priceOf("m"), priceOf("j")],
};

test.each([
  { kind: "answer", arm: 0, usd: 5 + 10 * 1_000 },
  { kind: "answer", arm: 1, usd: 3 + 10 * 7 },
  { kind: "answer", arm: 2, usd: 5 + 10 * 5 },
  { kind: "answer", arm: 3, usd: 5 + 10 * 1_000 },
  { kind: "judgement", arm: 1, usd: 4 + 400 + 10 * 500 },
  { kind: "score", arm: 1, usd: 4 + 400 + 10 * 500 },
] as const)("$kind of arm $arm with 9 characters costs about $usd", ({ kind, arm, usd }) => {
  expect(estimateUsd(priced, { kind, arm }, 9)).toBeCloseTo(usd, 6);
});

test("a model without a price costs nothing", () => {
  expect(estimateUsd({ ...priced, prices: [] }, { kind: "answer", arm: 0 }, 9)).toBe(0);
});
