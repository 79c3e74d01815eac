import type { Day } from "../time/day.ts";

/** What a model's tokens cost from a given day, in USD per million tokens. */
export interface ModelPrice {
  /**
   * The name in the provider's answers. A dated snapshot without a price of its own has its model's price. `model:tier`
   * prices the calls of one service tier; without such a row, they have the model's price.
   */
  readonly model: string;
  readonly effectiveFrom: Day;
  readonly inputUsdPerMillion: number;
  /** Input tokens read from the provider's cache; null: same as other input. */
  readonly cachedInputUsdPerMillion: number | null;
  /** Input tokens written to the provider's cache for 5 minutes; null: same as other input. */
  readonly cacheWrite5mUsdPerMillion: number | null;
  /** Input tokens written to the provider's cache for an hour; null: same as other input. */
  readonly cacheWrite1hUsdPerMillion: number | null;
  /** Audio in the input; null: same as other input. */
  readonly audioInputUsdPerMillion: number | null;
  readonly outputUsdPerMillion: number;
  /** Output tokens spent on reasoning; null: same as other output. */
  readonly reasoningUsdPerMillion: number | null;
  /** Audio in the output; null: same as other output. */
  readonly audioOutputUsdPerMillion: number | null;
}

/** One price per model, all as of one day: every call of an analysis is priced by the same list. */
export interface PriceList {
  readonly asOf: Day;
  readonly prices: readonly ModelPrice[];
}
