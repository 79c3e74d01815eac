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
 * Computes the cost of a call in USD; null unless its input and output tokens are both known. Cache, audio and reasoning tokens are
 * parts of these counts, with their own price if the model has one. If the parts exceed the whole, later parts are cut. The remainder
 * has the price of other input or output.
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
  // Keep this order: stored costs were summed in it.
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
