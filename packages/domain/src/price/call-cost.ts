import type { StoredEvent } from "../event/event.ts";
import type { ModelPrice } from "./model-price.ts";

export type CallTokens = Pick<
  StoredEvent,
  "inputTokens" | "cachedInputTokens" | "outputTokens" | "reasoningTokens"
>;

/**
 * Computes what a call cost in USD; null unless both its input and its output tokens are known. Cached and reasoning tokens
 * are a part of them (more than all is read as all) and have their own price where the model has one.
 */
export function costOf(call: CallTokens, price: ModelPrice): number | null {
  const { inputTokens: input, outputTokens: output } = call;
  if (input === null || output === null) return null;
  const cached = Math.min(call.cachedInputTokens ?? 0, input);
  const reasoning = Math.min(call.reasoningTokens ?? 0, output);
  const { inputUsdPerMillion: perInput, outputUsdPerMillion: perOutput } = price;
  const perCached = price.cachedInputUsdPerMillion ?? perInput;
  const perReasoning = price.reasoningUsdPerMillion ?? perOutput;
  const usdMillionth =
    (input - cached) * perInput +
    cached * perCached +
    (output - reasoning) * perOutput +
    reasoning * perReasoning;
  return usdMillionth / 1e6;
}
