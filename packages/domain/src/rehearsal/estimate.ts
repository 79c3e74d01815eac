import { costOf } from "../price/call-cost.ts";
import type { ModelPrice } from "../price/model-price.ts";
import { priceFor } from "../price/price-list.ts";
import type { RehearsalPlan } from "./rehearsal.ts";
import type { RehearsalRequest } from "./requests.ts";

/** Lower than for English prose, because other languages and code have fewer characters per token. */
const CHARACTERS_PER_TOKEN = 3;
/** Assumed tokens of an answer if the arm sets no limit. */
const ANSWER_TOKENS = 1_000;
/** Tokens of a judge request without rubric and texts, and of the judge's answer. */
const QUESTION_TOKENS = 400;
const JUDGEMENT_TOKENS = 500;

const BOUNDS = ["max_completion_tokens", "max_tokens"] as const;

export interface Priced {
  readonly plan: RehearsalPlan;
  readonly judgeModel: string;
  readonly prices: readonly ModelPrice[];
}

/**
 * Estimates the cost of a request in flight, in US dollars. `characters`: number of characters of the input and of the answers to judge.
 * 0 if the model has no price.
 */
export function estimateUsd(
  { plan, judgeModel, prices }: Priced,
  { kind, arm }: Pick<RehearsalRequest, "kind" | "arm">,
  characters: number,
): number {
  const { model, prompt, parameters } = plan.arms[arm] as RehearsalPlan["arms"][number];
  const isAnswer = kind === "answer";
  const price = priceFor(prices, isAnswer ? model : judgeModel);
  if (price === null) return 0;
  const fixed = isAnswer ? (prompt ?? "").length : plan.judge.rubric.length;
  const bound = BOUNDS.map((name) => parameters[name]).find((value) => typeof value === "number");
  const tokens = {
    inputTokens: Math.ceil((characters + fixed) / CHARACTERS_PER_TOKEN) + (isAnswer ? 0 : QUESTION_TOKENS),
    outputTokens: isAnswer ? Number(bound ?? ANSWER_TOKENS) : JUDGEMENT_TOKENS,
    cachedInputTokens: null,
    reasoningTokens: null,
  };
  return costOf(tokens, price) as number;
}
