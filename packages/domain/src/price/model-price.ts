import type { Day } from "../time/day.ts";

/** What a model's tokens cost from a day on, in USD per million tokens. */
export interface ModelPrice {
  /**
   * As providers name it in their answers. A dated snapshot without a price of its own has the price of its model. `model:tier`
   * prices the calls of one service tier; without such a price, they cost what the model costs.
   */
  readonly model: string;
  readonly effectiveFrom: Day;
  readonly inputUsdPerMillion: number;
  /** Of input tokens read from the provider's cache; null: as other input. */
  readonly cachedInputUsdPerMillion: number | null;
  /** Of input tokens written to the provider's cache for 5 minutes; null: as other input. */
  readonly cacheWrite5mUsdPerMillion: number | null;
  /** Of input tokens written to the provider's cache for an hour; null: as other input. */
  readonly cacheWrite1hUsdPerMillion: number | null;
  /** Of audio in the input; null: as other input. */
  readonly audioInputUsdPerMillion: number | null;
  readonly outputUsdPerMillion: number;
  /** Of output tokens spent on reasoning; null: as other output. */
  readonly reasoningUsdPerMillion: number | null;
  /** Of audio in the output; null: as other output. */
  readonly audioOutputUsdPerMillion: number | null;
}

/** One price per model, all as of one day: every call of an analysis is priced by the same list. */
export interface PriceList {
  readonly asOf: Day;
  readonly prices: readonly ModelPrice[];
}
