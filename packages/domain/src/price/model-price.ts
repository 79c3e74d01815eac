import type { Day } from "../time/day.ts";

/** What a model's tokens cost from a day on, in USD per million tokens. */
export interface ModelPrice {
  /** As providers name it in their answers. A dated snapshot without a price of its own has the price of its model. */
  readonly model: string;
  readonly effectiveFrom: Day;
  readonly inputUsdPerMillion: number;
  /** Of input tokens read from the provider's cache; null: as other input. */
  readonly cachedInputUsdPerMillion: number | null;
  readonly outputUsdPerMillion: number;
  /** Of output tokens spent on reasoning; null: as other output. */
  readonly reasoningUsdPerMillion: number | null;
}

/** One price per model, all as of one day: every call of an analysis is priced by the same list. */
export interface PriceList {
  readonly asOf: Day;
  readonly prices: readonly ModelPrice[];
}
