import type { ModelPrice } from "@assay/domain";

/** The suffix of a dated snapshot's name: a snapshot costs the same as its model unless it has its own price. */
const SNAPSHOT_SUFFIX = "[-@]([0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{8})$";

const PRICE = `if(${priceIndexSql("model")} > 0, ${priceIndexSql("model")}, ${priceIndexSql(withoutSnapshotSql("model"))})`;

/** The tokens of a call that have a price each, by the name of their sums. */
export const PRICED_TOKENS = {
  uncached_input: "(input_tokens - least(coalesce(cached_input_tokens, 0), input_tokens))",
  cached_input: "least(coalesce(cached_input_tokens, 0), input_tokens)",
  answer_output: "(output_tokens - least(coalesce(reasoning_tokens, 0), output_tokens))",
  reasoning_output: "least(coalesce(reasoning_tokens, 0), output_tokens)",
} as const;

/** True where `model` has a price. */
export const HAS_PRICE = `${PRICE} > 0`;

/** Writes what tokens of `model` cost in USD, by the prices that `priceParams` binds; NULL without a price. */
export function tokenCostSql(tokens: Readonly<Record<keyof typeof PRICED_TOKENS, string>>): string {
  return `if((${PRICE} AS price) = 0, NULL, (
    ${tokens.uncached_input} * {price_input: Array(Float64)}[price]
    + ${tokens.cached_input} * {price_cached_input: Array(Float64)}[price]
    + ${tokens.answer_output} * {price_output: Array(Float64)}[price]
    + ${tokens.reasoning_output} * {price_reasoning: Array(Float64)}[price]) / 1e6)`;
}

/**
 * The cost of a row of `analysis` in USD, as the domain's `costOf` and `priceFor` compute it: as reported, or else from
 * its tokens and the prices; NULL, not 0, without a price. Each distinct name is looked up once, because the column is a dictionary.
 */
export const CALL_COST = `coalesce(cost_usd, ${tokenCostSql(PRICED_TOKENS)})`;

/** Returns the parameters of `CALL_COST`. */
export function priceParams(prices: readonly ModelPrice[]): Record<string, unknown> {
  return {
    price_models: prices.map(({ model }) => model),
    price_input: prices.map((price) => price.inputUsdPerMillion),
    price_cached_input: prices.map((price) => price.cachedInputUsdPerMillion ?? price.inputUsdPerMillion),
    price_output: prices.map((price) => price.outputUsdPerMillion),
    price_reasoning: prices.map((price) => price.reasoningUsdPerMillion ?? price.outputUsdPerMillion),
  };
}

/** Returns the SQL of a model's name without the date of a snapshot. */
export function withoutSnapshotSql(name: string): string {
  return `replaceRegexpOne(${name}, '${SNAPSHOT_SUFFIX}', '')`;
}

/** Returns the SQL of the index of a name's price, from 1; 0 without a price. */
function priceIndexSql(name: string): string {
  const models = "{price_models: Array(String)}";
  return `transform(${name}, ${models}, arrayEnumerate(${models}), 0)`;
}
