import type { Wire } from "../../api/types.ts";

type Price = Wire<"Price">;

const CHARACTERS_PER_TOKEN = 4;
const CALLS = 1000;
const PER_MILLION = 1_000_000;
/** The date suffix of a model snapshot, which the service strips too (docs/prices.md). */
const SNAPSHOT = /[-@]\d{4}-?\d{2}-?\d{2}$/;

/** Estimates the tokens of a text as characters / 4, accurate to about 10% for English. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

/** Finds the price of a model by its name, with or without a snapshot date. */
export function priceOf(model: string, prices: readonly Price[]): Price | null {
  const named = (name: string) => prices.find((price) => price.model === name);
  return named(model) ?? named(model.replace(SNAPSHOT, "")) ?? null;
}

/** The cost of this prompt over 1,000 calls, in dollars, without the user's text and the answer. */
export function promptCost(prompt: string, price: Price): number {
  return (estimateTokens(prompt) * CALLS * price.input_usd_per_million) / PER_MILLION;
}

/** The cost of 1,000 answers of the maximum length, in dollars. */
export function answerCost(maxTokens: number, price: Price): number {
  return (maxTokens * CALLS * price.output_usd_per_million) / PER_MILLION;
}
