import type { StoredEvent } from "../event/event.ts";
import type { ModelPrice } from "./model-price.ts";

export type CallTokens = Pick<
  StoredEvent,
  "inputTokens" | "cachedInputTokens" | "outputTokens" | "reasoningTokens"
> &
  Partial<
    Pick<StoredEvent, "cacheWrite5mTokens" | "cacheWrite1hTokens" | "audioInputTokens" | "audioOutputTokens">
  >;

/** A part of a count with its own price per million; null when the part has none. */
type Part = readonly [tokens: number | null | undefined, usd: number | null];

/**
 * Computes the cost of a call in USD; null unless its input and output tokens are both known. Tokens of the cache, of
 * audio and of reasoning are part of them, and have their own price where the model has one.
 */
export function costOf(call: CallTokens, price: ModelPrice): number | null {
  const { inputTokens: input, outputTokens: output } = call;
  if (input === null || output === null) return null;
  const costs = [
    ...partCosts(input, price.inputUsdPerMillion, [
      [call.cachedInputTokens, price.cachedInputUsdPerMillion],
      [call.cacheWrite5mTokens, price.cacheWrite5mUsdPerMillion],
      [call.cacheWrite1hTokens, price.cacheWrite1hUsdPerMillion],
      [call.audioInputTokens, price.audioInputUsdPerMillion],
    ]),
    ...partCosts(output, price.outputUsdPerMillion, [
      [call.reasoningTokens, price.reasoningUsdPerMillion],
      [call.audioOutputTokens, price.audioOutputUsdPerMillion],
    ]),
  ];
  return costs.reduce((sum, cost) => sum + cost) / 1e6;
}

/**
 * Each part takes at most what the parts before it left. The remainder comes first and has the price of the
 * whole.
 */
function partCosts(whole: number, perWhole: number, parts: readonly Part[]): number[] {
  let left = whole;
  const costs = parts.map(([told, usd]) => {
    const tokens = Math.min(told ?? 0, left);
    left -= tokens;
    return tokens * (usd ?? perWhole);
  });
  return [left * perWhole, ...costs];
}
