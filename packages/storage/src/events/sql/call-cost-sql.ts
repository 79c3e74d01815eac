import type { ModelPrice } from "@assay/domain";

/** The suffix of a dated snapshot's name: a snapshot costs the same as its model unless it has its own price. */
const SNAPSHOT_SUFFIX = "[-@]([0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{8})$";

const WITHOUT_SNAPSHOT = withoutSnapshotSql("model");
/** The names that a call's price may have, in the order of the domain's `priceFor`. */
const NAMES = [
  ...[`concat(model, ':', service_tier)`, `concat(${WITHOUT_SNAPSHOT}, ':', service_tier)`].map(
    (name) => `if(service_tier = '', 0, ${priceIndexSql(name)})`,
  ),
  ...["model", WITHOUT_SNAPSHOT].map(priceIndexSql),
];
const PRICE = `multiIf(${NAMES.slice(0, -1)
  .map((index) => `${index} > 0, ${index}`)
  .join(", ")}, ${NAMES.at(-1)})`;

/** A part of a count that has a price of its own, and what the parts before it left of the count. */
const part = (field: string, left: string) => `least(coalesce(${field}, 0), ${left})`;
const UNCACHED = `(input_tokens - ${part("cached_input_tokens", "input_tokens")})`;
const UNWRITTEN_5M = `(${UNCACHED} - ${part("cache_write_5m_tokens", UNCACHED)})`;
const UNWRITTEN = `(${UNWRITTEN_5M} - ${part("cache_write_1h_tokens", UNWRITTEN_5M)})`;
const ANSWER = `(output_tokens - ${part("reasoning_tokens", "output_tokens")})`;

/** The tokens of a call that have a price each, by the name of their sums, in the order in which the domain's `costOf` adds their costs. */
export const PRICED_TOKENS = {
  uncached_input: `(${UNWRITTEN} - ${part("audio_input_tokens", UNWRITTEN)})`,
  cached_input: part("cached_input_tokens", "input_tokens"),
  cache_write_5m: part("cache_write_5m_tokens", UNCACHED),
  cache_write_1h: part("cache_write_1h_tokens", UNWRITTEN_5M),
  audio_input: part("audio_input_tokens", UNWRITTEN),
  answer_output: `(${ANSWER} - ${part("audio_output_tokens", ANSWER)})`,
  reasoning_output: part("reasoning_tokens", "output_tokens"),
  audio_output: part("audio_output_tokens", ANSWER),
} as const;

type PricedTokens = keyof typeof PRICED_TOKENS;

/** True where `model` has a price. */
export const HAS_PRICE = `${PRICE} > 0`;

/** Writes what tokens of `model` cost in USD, by the prices that `priceParams` binds; NULL without a price. */
export function tokenCostSql(tokens: Readonly<Record<PricedTokens, string>>): string {
  const names = Object.keys(PRICED_TOKENS) as PricedTokens[];
  const costs = names.map((name) => `${tokens[name]} * {price_${name}: Array(Float64)}[price]`);
  return `if((${PRICE} AS price) = 0, NULL, (${costs.join(" + ")}) / 1e6)`;
}

/**
 * The cost of a row of `analysis` in USD, as the domain's `costOf` and `priceFor` compute it: as reported, or else from
 * its tokens and the prices; NULL, not 0, without a price. Each distinct name is looked up once, because the column is a dictionary.
 */
export const CALL_COST = `coalesce(cost_usd, ${tokenCostSql(PRICED_TOKENS)})`;

/** Returns the parameters of `CALL_COST`. */
export function priceParams(prices: readonly ModelPrice[]): Record<string, unknown> {
  const paid = (usd: (price: ModelPrice) => number | null, whole: (price: ModelPrice) => number) =>
    prices.map((price) => usd(price) ?? whole(price));
  const input = (price: ModelPrice) => price.inputUsdPerMillion;
  const output = (price: ModelPrice) => price.outputUsdPerMillion;
  return {
    price_models: prices.map(({ model }) => model),
    price_uncached_input: prices.map(input),
    price_cached_input: paid((price) => price.cachedInputUsdPerMillion, input),
    price_cache_write_5m: paid((price) => price.cacheWrite5mUsdPerMillion, input),
    price_cache_write_1h: paid((price) => price.cacheWrite1hUsdPerMillion, input),
    price_audio_input: paid((price) => price.audioInputUsdPerMillion, input),
    price_answer_output: prices.map(output),
    price_reasoning_output: paid((price) => price.reasoningUsdPerMillion, output),
    price_audio_output: paid((price) => price.audioOutputUsdPerMillion, output),
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
