import type { Wire } from "../../api/types.ts";

type Price = Wire<"Price">;

const CHARACTERS_PER_TOKEN = 4;
const CALLS = 1000;
const PER_MILLION = 1_000_000;
/** A snapshot's date at the end of a model's name, as the service strips it (docs/prices.md). */
const SNAPSHOT = /[-@]\d{4}-?\d{2}-?\d{2}$/;

/** Estimates the tokens of a text by its characters / 4: right within some ten per cent for English. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

/** Finds a model's price among those in force, by its name or by its name without a snapshot's date. */
export function priceOf(model: string, prices: readonly Price[]): Price | null {
  const named = (name: string) => prices.find((price) => price.model === name);
  return named(model) ?? named(model.replace(SNAPSHOT, "")) ?? null;
}

/** What this prompt costs in 1,000 calls, in dollars: its own tokens alone, without the user's text and the answer. */
export function promptCost(prompt: string, price: Price): number {
  return (estimateTokens(prompt) * CALLS * price.input_usd_per_million) / PER_MILLION;
}

/** What 1,000 answers of the longest length allowed cost, in dollars. */
export function answerCost(maxTokens: number, price: Price): number {
  return (maxTokens * CALLS * price.output_usd_per_million) / PER_MILLION;
}
