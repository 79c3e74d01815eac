import type { CallTokens, ModelPrice } from "@assay/domain";

/** The suffix of a dated snapshot's name: a snapshot costs the same as its model unless it has its own price. */
const SNAPSHOT_SUFFIX = "[-@]([0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{8})$";

const WITHOUT_SNAPSHOT = withoutSnapshotSql("model");

/**
 * Writes the index of a call's price, counted from 1, or 0 without a price. Tries the names in the order of the domain's `priceFor`.
 * Tries names with a tier only if some price has one: the engine looks up a name made of two columns per row, not per dictionary entry.
 */
function priceSql(prices: readonly ModelPrice[]): string {
  const ofTier = ["model", WITHOUT_SNAPSHOT].map(
    (name) => `if(service_tier = '', 0, ${priceIndexSql(`concat(${name}, ':', service_tier)`)})`,
  );
  const ofModel = ["model", WITHOUT_SNAPSHOT].map(priceIndexSql);
  const indexes = prices.some(({ model }) => model.includes(":")) ? [...ofTier, ...ofModel] : ofModel;
  return `coalesce(${[...indexes.slice(0, -1).map((index) => `nullIf(${index}, 0)`), indexes.at(-1)].join(", ")})`;
}

/** A part of a token count that has its own price. `left` is the count minus the parts before it. */
const part = (field: string, left: string) => `least(coalesce(${field}, 0), ${left})`;

/** The tokens of a call, by column. */
export const TOKENS = {
  input_tokens: "inputTokens",
  cached_input_tokens: "cachedInputTokens",
  cache_write_5m_tokens: "cacheWrite5mTokens",
  cache_write_1h_tokens: "cacheWrite1hTokens",
  audio_input_tokens: "audioInputTokens",
  output_tokens: "outputTokens",
  reasoning_tokens: "reasoningTokens",
  audio_output_tokens: "audioOutputTokens",
} as const satisfies Readonly<Record<string, keyof CallTokens>>;

export const TOKEN_COLUMNS = Object.keys(TOKENS);

/**
 * The tokens of a call for each kind of price, in the order in which the domain's `costOf` adds their costs. The first expression for input
 * and for output defines aliases that the rest use, so all must be in one query. Without aliases, each would repeat those before it.
 */
export const PRICED_TOKENS = {
  uncached_input: `(((((input_tokens - (${part("cached_input_tokens", "input_tokens")} AS of_cache)) AS uncached)
      - (${part("cache_write_5m_tokens", "uncached")} AS of_write_5m)) AS unwritten_5m
      - (${part("cache_write_1h_tokens", "unwritten_5m")} AS of_write_1h)) AS unwritten
      - (${part("audio_input_tokens", "unwritten")} AS of_audio_input))`,
  cached_input: "of_cache",
  cache_write_5m: "of_write_5m",
  cache_write_1h: "of_write_1h",
  audio_input: "of_audio_input",
  answer_output: `(((output_tokens - (${part("reasoning_tokens", "output_tokens")} AS of_reasoning)) AS answer)
      - (${part("audio_output_tokens", "answer")} AS of_audio_output))`,
  reasoning_output: "of_reasoning",
  audio_output: "of_audio_output",
} as const;

/** True for a call that reports its tokens but not its cost. */
export const IS_COUNTED_BY_TOKENS =
  "isNull(cost_usd) AND isNotNull(input_tokens) AND isNotNull(output_tokens)";

type PricedTokens = keyof typeof PRICED_TOKENS;

/** Writes the condition that `model` has a price. */
export function hasPriceSql(prices: readonly ModelPrice[]): string {
  return `${priceSql(prices)} > 0`;
}

/** Writes the cost of tokens of `model` in USD, from the prices that `priceParams` binds; NULL without a price. */
export function tokenCostSql(
  prices: readonly ModelPrice[],
  tokens: Readonly<Record<PricedTokens, string>>,
): string {
  const names = Object.keys(PRICED_TOKENS) as PricedTokens[];
  const costs = names.map((name) => `${tokens[name]} * {price_${name}: Array(Float64)}[price]`);
  return `if((${priceSql(prices)} AS price) = 0, NULL, (${costs.join(" + ")}) / 1e6)`;
}

/**
 * Writes the cost of a row of `analysis` in USD, as the domain's `costOf` and `priceFor` compute it: the reported cost, or else the
 * cost of its tokens. NULL, not 0, without a price.
 */
export function callCostSql(prices: readonly ModelPrice[]): string {
  return `if(isNotNull(cost_usd), cost_usd, ${tokenCostSql(prices, PRICED_TOKENS)})`;
}

/** Returns the parameters of the SQL that these functions write. */
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
function withoutSnapshotSql(name: string): string {
  return `replaceRegexpOne(${name}, '${SNAPSHOT_SUFFIX}', '')`;
}

/** Returns the SQL of the index of a name's price, from 1; 0 without a price. */
function priceIndexSql(name: string): string {
  const models = "{price_models: Array(String)}";
  return `transform(${name}, ${models}, arrayEnumerate(${models}), 0)`;
}
