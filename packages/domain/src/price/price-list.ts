import { murmur3 } from "@assay/bucketing";
import type { Day } from "../time/day.ts";
import type { ModelPrice, PriceList } from "./model-price.ts";

const SNAPSHOT_SUFFIX = /[-@](\d{4}-\d{2}-\d{2}|\d{8})$/;

/** Returns a model's name without a snapshot's date. A snapshot has the model's price, unless it has one of its own. */
export function withoutSnapshot(model: string): string {
  return model.replace(SNAPSHOT_SUFFIX, "");
}

/** Combines the built-in prices with an org's own; for the same model and day, the org's row wins. By model, newest first. */
export function mergePrices(builtIn: readonly ModelPrice[], ofOrg: readonly ModelPrice[]): ModelPrice[] {
  const byKey = new Map([...builtIn, ...ofOrg].map((price) => [priceKey(price), price]));
  return [...byKey.values()].sort(byModelThenNewest);
}

/**
 * Chooses one price per model as of a day: the newest that was in force by then or, for a model that was priced only
 * later, its earliest. Ordered by model, so that the same prices give the same list.
 */
export function priceList(prices: readonly ModelPrice[], asOf: Day): PriceList {
  const chosen = new Map<string, ModelPrice>();
  for (const price of [...prices].sort(byModelThenNewest)) {
    const later = chosen.get(price.model);
    if (later === undefined || later.effectiveFrom > asOf) chosen.set(price.model, price);
  }
  return { asOf, prices: [...chosen.values()] };
}

/**
 * Finds the price of a model by its name or, for a dated snapshot, by its model's name; null when there is neither. A
 * price of the service tier, under either name, takes precedence over both.
 */
export function priceFor(
  prices: readonly ModelPrice[],
  model: string,
  tier: string | null = null,
): ModelPrice | null {
  return priceFinder(prices)(model, tier);
}

/** Returns `priceFor` with an index, for many calls. */
export function priceFinder(
  prices: readonly ModelPrice[],
): (model: string, tier: string | null) => ModelPrice | null {
  const byModel = new Map(prices.map((price) => [price.model, price]));
  return (model, tier) => {
    const short = withoutSnapshot(model);
    const ofTier = tier ? (byModel.get(`${model}:${tier}`) ?? byModel.get(`${short}:${tier}`)) : undefined;
    return ofTier ?? byModel.get(model) ?? byModel.get(short) ?? null;
  };
}

/**
 * Returns the fingerprint of a price list: 16 hex digits that depend on every price in the list, but not on its day. A row without
 * cache-write, audio or reasoning prices gives the same text as before these prices existed.
 */
export function priceFingerprint({ prices }: Pick<PriceList, "prices">): string {
  const text = JSON.stringify(
    prices.map((price) => {
      const newer = [
        price.cacheWrite5mUsdPerMillion,
        price.cacheWrite1hUsdPerMillion,
        price.audioInputUsdPerMillion,
        price.audioOutputUsdPerMillion,
      ];
      return [
        price.model,
        price.effectiveFrom,
        price.inputUsdPerMillion,
        price.cachedInputUsdPerMillion,
        price.outputUsdPerMillion,
        price.reasoningUsdPerMillion,
        ...(newer.some((usd) => usd !== null) ? newer : []),
      ];
    }),
  );
  return [0, 1].map((seed) => murmur3(text, seed).toString(16).padStart(8, "0")).join("");
}

/** Makes the key of a row: no two rows of a table have the same model and first day. */
export function priceKey({ model, effectiveFrom }: Pick<ModelPrice, "model" | "effectiveFrom">): string {
  return `${effectiveFrom} ${model}`;
}

/** Ordered by code units, as SQL and every machine order them. */
function byModelThenNewest(a: ModelPrice, b: ModelPrice): number {
  if (a.model !== b.model) return a.model < b.model ? -1 : 1;
  return a.effectiveFrom < b.effectiveFrom ? 1 : -1;
}
