import type { ModelPrice } from "@assay/domain";

/** How a dated snapshot's name ends: it costs what its model costs unless it has a price of its own. */
const SNAPSHOT_SUFFIX = "[-@]([0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{8})$";

const PRICE = `if(${priceIndexSql("model")} > 0, ${priceIndexSql("model")}, ${priceIndexSql(withoutSnapshotSql("model"))})`;

/**
 * What a row of `analysis` cost in USD, as `costOf` and `priceFor` of the domain say: as reported, or else of its tokens
 * by the prices that `priceParams` binds; NULL for no cost, which is not 0. Names are looked up once per distinct
 * name, since the column is a dictionary.
 */
export const CALL_COST = `coalesce(cost_usd, if((${PRICE} AS price) = 0, NULL, (
    (input_tokens - (least(coalesce(cached_input_tokens, 0), input_tokens) AS cached)) * {price_input: Array(Float64)}[price]
    + cached * {price_cached_input: Array(Float64)}[price]
    + (output_tokens - (least(coalesce(reasoning_tokens, 0), output_tokens) AS reasoning)) * {price_output: Array(Float64)}[price]
    + reasoning * {price_reasoning: Array(Float64)}[price]) / 1e6))`;

/** Lists what `CALL_COST` names. */
export function priceParams(prices: readonly ModelPrice[]): Record<string, unknown> {
  return {
    price_models: prices.map(({ model }) => model),
    price_input: prices.map((price) => price.inputUsdPerMillion),
    price_cached_input: prices.map((price) => price.cachedInputUsdPerMillion ?? price.inputUsdPerMillion),
    price_output: prices.map((price) => price.outputUsdPerMillion),
    price_reasoning: prices.map((price) => price.reasoningUsdPerMillion ?? price.outputUsdPerMillion),
  };
}

/** Writes a model's name without the date of its snapshot. */
export function withoutSnapshotSql(name: string): string {
  return `replaceRegexpOne(${name}, '${SNAPSHOT_SUFFIX}', '')`;
}

/** Writes the number of a name's price, from 1; 0 for none. */
function priceIndexSql(name: string): string {
  const models = "{price_models: Array(String)}";
  return `transform(${name}, ${models}, arrayEnumerate(${models}), 0)`;
}
