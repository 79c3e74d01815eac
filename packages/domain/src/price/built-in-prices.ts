import type { Day } from "../time/day.ts";
import type { ModelPrice } from "./model-price.ts";

/**
 * Model, first day, then USD per million input, cached input (null: same as input) and output
 * tokens.
 */
type Row = readonly [string, string, number, number | null, number];

/** First day of prices whose own first day is unknown. */
const UNDATED = "2024-01-01";

/*
 * List prices of text tokens at the standard tier and, where the price depends on it, at the lowest prompt length. No
 * model bills reasoning separately from other output. A dated first day is the date of the snapshot that the source
 * lists at this price. Add a row for a new price. Change a row only if it was wrong, because runs of older
 * experiments read it.
 */

/** From model_prices_and_context_window.json of github.com/BerriAI/litellm (MIT) at 00035b69f416. */
const FROM_LITELLM: readonly Row[] = [
  ["gpt-3.5-turbo", UNDATED, 0.5, null, 1.5],
  ["gpt-3.5-turbo-1106", UNDATED, 1, null, 2],
  ["gpt-4", UNDATED, 30, null, 60],
  ["gpt-4-turbo", "2024-04-09", 10, null, 30],
  ["gpt-4o", "2024-08-06", 2.5, 1.25, 10],
  ["gpt-4o-2024-05-13", "2024-05-13", 5, null, 15],
  ["gpt-4o-mini", "2024-07-18", 0.15, 0.075, 0.6],
  ["gpt-4.1", "2025-04-14", 2, 0.5, 8],
  ["gpt-4.1-mini", "2025-04-14", 0.4, 0.1, 1.6],
  ["gpt-4.1-nano", "2025-04-14", 0.1, 0.025, 0.4],
  ["gpt-5", "2025-08-07", 1.25, 0.125, 10],
  ["gpt-5-chat-latest", UNDATED, 1.25, 0.125, 10],
  ["gpt-5-codex", UNDATED, 1.25, 0.125, 10],
  ["gpt-5-mini", "2025-08-07", 0.25, 0.025, 2],
  ["gpt-5-nano", "2025-08-07", 0.05, 0.005, 0.4],
  ["gpt-5-pro", "2025-10-06", 15, null, 120],
  ["gpt-5.1", "2025-11-13", 1.25, 0.125, 10],
  ["gpt-5.1-chat-latest", UNDATED, 1.25, 0.125, 10],
  ["gpt-5.1-codex", UNDATED, 1.25, 0.125, 10],
  ["gpt-5.1-codex-max", UNDATED, 1.25, 0.125, 10],
  ["gpt-5.1-codex-mini", UNDATED, 0.25, 0.025, 2],
  ["gpt-5.2", "2025-12-11", 1.75, 0.175, 14],
  ["gpt-5.2-chat-latest", UNDATED, 1.75, 0.175, 14],
  ["gpt-5.2-codex", UNDATED, 1.75, 0.175, 14],
  ["gpt-5.2-pro", "2025-12-11", 21, null, 168],
  ["gpt-5.3-chat-latest", UNDATED, 1.75, 0.175, 14],
  ["gpt-5.3-codex", UNDATED, 1.75, 0.175, 14],
  ["gpt-5.4", "2026-03-05", 2.5, 0.25, 15],
  ["gpt-5.4-mini", "2026-03-17", 0.75, 0.075, 4.5],
  ["gpt-5.4-nano", "2026-03-17", 0.2, 0.02, 1.25],
  ["gpt-5.4-pro", "2026-03-05", 30, 3, 180],
  ["gpt-5.5", "2026-04-23", 5, 0.5, 30],
  ["gpt-5.5-pro", "2026-04-23", 30, 3, 180],
  ["gpt-5.6", UNDATED, 5, 0.5, 30],
  ["gpt-5.6-luna", UNDATED, 1, 0.1, 6],
  ["gpt-5.6-sol", UNDATED, 5, 0.5, 30],
  ["gpt-5.6-terra", UNDATED, 2.5, 0.25, 15],
  ["o1", "2024-12-17", 15, 7.5, 60],
  ["o3", "2025-04-16", 2, 0.5, 8],
  ["o3-mini", "2025-01-31", 1.1, 0.55, 4.4],
  ["o3-pro", "2025-06-10", 20, null, 80],
  ["o4-mini", "2025-04-16", 1.1, 0.275, 4.4],
  ["claude-3-haiku", "2024-03-07", 0.25, 0.03, 1.25],
  ["claude-3-7-sonnet", "2025-02-19", 3, 0.3, 15],
  ["claude-fable-5", UNDATED, 10, 1, 50],
  ["claude-haiku-4-5", "2025-10-01", 1, 0.1, 5],
  ["claude-opus-4", "2025-05-14", 15, 1.5, 75],
  ["claude-opus-4-1", "2025-08-05", 15, 1.5, 75],
  ["claude-opus-4-5", "2025-11-01", 5, 0.5, 25],
  ["claude-opus-4-6", "2026-02-05", 5, 0.5, 25],
  ["claude-opus-4-7", "2026-04-16", 5, 0.5, 25],
  ["claude-opus-4-8", UNDATED, 5, 0.5, 25],
  ["claude-sonnet-4", "2025-05-14", 3, 0.3, 15],
  ["claude-sonnet-4-5", "2025-09-29", 3, 0.3, 15],
  ["claude-sonnet-4-6", UNDATED, 3, 0.3, 15],
  ["claude-sonnet-5", UNDATED, 2, 0.2, 10],
  ["gemini-2.5-flash", UNDATED, 0.3, 0.03, 2.5],
  ["gemini-2.5-flash-lite", UNDATED, 0.1, 0.01, 0.4],
  ["gemini-2.5-pro", UNDATED, 1.25, 0.125, 10],
  ["gemini-3-flash-preview", UNDATED, 0.5, 0.05, 3],
  ["gemini-3-pro-preview", UNDATED, 2, 0.2, 12],
  ["gemini-3.1-flash-lite", UNDATED, 0.25, 0.025, 1.5],
  ["gemini-3.1-pro-preview", UNDATED, 2, 0.2, 12],
  ["gemini-3.5-flash", UNDATED, 1.5, 0.15, 9],
  ["deepseek-chat", UNDATED, 0.28, 0.028, 0.42],
  ["deepseek-reasoner", UNDATED, 0.28, 0.028, 0.42],
];

/** From prices/providers/*.yml of github.com/pydantic/genai-prices (MIT): deepseek at 08548d4b6ca0, mistral at 03c250d316ce, x_ai at 05e4acabdbc0. */
const FROM_GENAI_PRICES: readonly Row[] = [
  ["deepseek-v4-flash", UNDATED, 0.14, 0.0028, 0.28],
  ["deepseek-v4-pro", UNDATED, 0.435, 0.003625, 0.87],
  ["codestral-2508", UNDATED, 0.3, 0.03, 0.9],
  ["devstral-2512", UNDATED, 0.4, 0.04, 2],
  ["ministral-3b-2512", UNDATED, 0.1, 0.01, 0.1],
  ["ministral-8b-2512", UNDATED, 0.15, 0.015, 0.15],
  ["ministral-14b-2512", UNDATED, 0.2, 0.02, 0.2],
  ["mistral-large-2512", UNDATED, 0.5, 0.05, 1.5],
  ["mistral-medium-2508", UNDATED, 0.4, 0.04, 2],
  ["mistral-medium-latest", UNDATED, 0.4, 0.04, 2],
  ["mistral-medium-latest", "2026-06-16", 1.5, 0.15, 7.5],
  ["mistral-medium-3-5", UNDATED, 1.5, 0.15, 7.5],
  ["mistral-small-2603", UNDATED, 0.15, 0.015, 0.6],
  ["grok-3", UNDATED, 3, 0.75, 15],
  ["grok-3-mini", UNDATED, 0.3, 0.075, 0.5],
  ["grok-4", UNDATED, 3, 0.75, 15],
  ["grok-4-0709", UNDATED, 3, 0.75, 15],
  ["grok-4-fast-non-reasoning", UNDATED, 0.2, 0.05, 0.5],
  ["grok-4-fast-reasoning", UNDATED, 0.2, 0.05, 0.5],
  ["grok-4-1-fast-non-reasoning", UNDATED, 0.2, 0.05, 0.5],
  ["grok-4-1-fast-reasoning", UNDATED, 0.2, 0.05, 0.5],
  ["grok-4.20", UNDATED, 1.25, 0.2, 2.5],
  ["grok-4.3", UNDATED, 1.25, 0.2, 2.5],
  ["grok-4.5", UNDATED, 2, 0.5, 6],
  ["grok-code-fast-1", UNDATED, 0.2, 0.02, 1.5],
];

/** From the pricing pages of OpenAI and Google. An embedding has no output. */
const EMBEDDINGS: readonly Row[] = [
  ["text-embedding-3-small", "2024-01-25", 0.02, null, 0],
  ["text-embedding-3-large", "2024-01-25", 0.13, null, 0],
  ["text-embedding-ada-002", UNDATED, 0.1, null, 0],
  ["gemini-embedding-001", UNDATED, 0.15, null, 0],
];

/**
 * Prices of well-known models, for every org: a starting point that an admin checks and overrides
 * (docs/prices.md).
 */
export const BUILT_IN_PRICES: readonly ModelPrice[] = [
  ...FROM_LITELLM,
  ...FROM_GENAI_PRICES,
  ...EMBEDDINGS,
].map(([model, from, input, cachedInput, output]) => ({
  model,
  effectiveFrom: from as Day,
  inputUsdPerMillion: input,
  cachedInputUsdPerMillion: cachedInput,
  ...cacheWritePrices(model, input),
  audioInputUsdPerMillion: null,
  outputUsdPerMillion: output,
  reasoningUsdPerMillion: null,
  audioOutputUsdPerMillion: null,
}));

/**
 * Anthropic's pricing page lists cache writes at 1.25 times (5 minutes) and twice (an hour) the input price. Other
 * providers bill writes as input.
 */
function cacheWritePrices(model: string, input: number) {
  const isAnthropic = model.startsWith("claude-");
  // The page rounds this price down.
  const for5m = model === "claude-3-haiku" ? 0.3 : input * 1.25;
  return {
    cacheWrite5mUsdPerMillion: isAnthropic ? for5m : null,
    cacheWrite1hUsdPerMillion: isAnthropic ? input * 2 : null,
  };
}
