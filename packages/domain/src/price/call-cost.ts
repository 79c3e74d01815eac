import type { StoredEvent } from "../event/event.ts";
import type { ModelPrice } from "./model-price.ts";

export type CallTokens = Pick<
  StoredEvent,
  "inputTokens" | "cachedInputTokens" | "outputTokens" | "reasoningTokens"
> &
  Partial<
    Pick<StoredEvent, "cacheWrite5mTokens" | "cacheWrite1hTokens" | "audioInputTokens" | "audioOutputTokens">
  >;

/**
 * Computes the cost of a call in USD; null unless its input and output tokens are both known. Tokens of the cache, of
 * audio and of reasoning are part of them, and have their own price where the model has one. Each part takes at most what the parts
 * before it left; the remainder has the price of the whole.
 */
export function costOf(call: CallTokens, price: ModelPrice): number | null {
  const { inputTokens: input, outputTokens: output } = call;
  if (input === null || output === null) return null;
  const { inputUsdPerMillion: perInput, outputUsdPerMillion: perOutput } = price;
  let left = input;
  const take = (told: number | null | undefined) => {
    const tokens = Math.min(told ?? 0, left);
    left -= tokens;
    return tokens;
  };
  const cached = take(call.cachedInputTokens);
  const write5m = take(call.cacheWrite5mTokens);
  const write1h = take(call.cacheWrite1hTokens);
  const audioInput = take(call.audioInputTokens);
  const uncached = left;
  left = output;
  const reasoning = take(call.reasoningTokens);
  const audioOutput = take(call.audioOutputTokens);
  // Stored costs are sums in this order.
  const micros =
    uncached * perInput +
    cached * (price.cachedInputUsdPerMillion ?? perInput) +
    write5m * (price.cacheWrite5mUsdPerMillion ?? perInput) +
    write1h * (price.cacheWrite1hUsdPerMillion ?? perInput) +
    audioInput * (price.audioInputUsdPerMillion ?? perInput) +
    left * perOutput +
    reasoning * (price.reasoningUsdPerMillion ?? perOutput) +
    audioOutput * (price.audioOutputUsdPerMillion ?? perOutput);
  return micros / 1e6;
}
