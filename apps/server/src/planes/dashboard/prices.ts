import { prices as operations, type PriceRequest, PriceSchema, toWire, type ValueOf } from "@assay/contract";
import {
  BUILT_IN_PRICES,
  type Caller,
  type ControlStores,
  type Day,
  DomainError,
  invalidBody,
  type JsonObject,
  type ModelPrice,
  mergePrices,
  parseDay,
  priceFingerprint,
  priceKey,
  priceList,
} from "@assay/domain";
import { auditEntry } from "../../audit-entry.ts";
import type { Deps } from "../../deps.ts";
import { fieldDiff } from "../../field-diff.ts";
import { defineRoute } from "../../http/define-route.ts";

/** Every analysis of the org loads all of its own prices. */
const MAX_OWN_PRICES = 1000;

type PriceKey = Pick<ModelPrice, "model" | "effectiveFrom">;

const NO_DAY = "must be a calendar date, YYYY-MM-DD.";

export const listPrices = defineRoute(operations.listPrices, async ({ query, caller }, { control }) => {
  const own = await control.modelPrices.list(caller.orgId);
  const ownKeys = new Set(own.map(priceKey));
  const merged = mergePrices(BUILT_IN_PRICES, own);
  const list = query.asOf === undefined ? null : priceList(merged, queryDay("as_of", query.asOf));
  return {
    priceList: list && { asOf: list.asOf, fingerprint: priceFingerprint(list) },
    items: (list?.prices ?? merged)
      .filter(({ model }) => query.model === undefined || model === query.model)
      .map((price) => ({ ...price, source: ownKeys.has(priceKey(price)) ? "org" : "built-in" }) as const),
  };
});

export const putPrice = defineRoute(operations.putPrice, async ({ body, caller }, deps) => {
  const price = toPrice(body);
  const answer = { ...price, source: "org" } as const;
  await deps.control.transaction(async (stores) => {
    const own = await stores.modelPrices.list(caller.orgId);
    const before = findPrice(own, price);
    if (before === null && own.length >= MAX_OWN_PRICES) throw tooManyPrices();
    await stores.modelPrices.put(caller.orgId, price);
    await record(caller, { action: "price.put", key: price, from: before, to: price }, { ...deps, stores });
  });
  return answer;
});

export const removePrice = defineRoute(operations.removePrice, async ({ query, caller }, deps) => {
  const key = { model: query.model, effectiveFrom: queryDay("effective_from", query.effectiveFrom) };
  await deps.control.transaction(async (stores) => {
    const before = findPrice(await stores.modelPrices.list(caller.orgId), key);
    if (before === null || !(await stores.modelPrices.remove(caller.orgId, key))) throw noOwnPrice(key);
    await record(caller, { action: "price.remove", key, from: before, to: null }, { ...deps, stores });
  });
});

interface PriceChange {
  readonly action: "price.put" | "price.remove";
  readonly key: PriceKey;
  readonly from: ModelPrice | null;
  readonly to: ModelPrice | null;
}

async function record(
  caller: Caller,
  { action, key, from, to }: PriceChange,
  deps: Pick<Deps, "clock" | "newId"> & { readonly stores: ControlStores },
): Promise<void> {
  const did = action === "price.put" ? "Set" : "Removed";
  const summary = `${did} the price of ${key.model} from ${key.effectiveFrom} on.`;
  const target = { targetType: "price", targetId: key.model };
  const entry = auditEntry(caller, { ...target, action, summary, diff: priceDiff(from, to) }, deps);
  await deps.stores.audit.record(entry);
}

const PRICE_FIELDS = [
  "input_usd_per_million",
  "cached_input_usd_per_million",
  "cache_write_5m_usd_per_million",
  "cache_write_1h_usd_per_million",
  "audio_input_usd_per_million",
  "output_usd_per_million",
  "reasoning_usd_per_million",
  "audio_output_usd_per_million",
];

/** Compares two prices of the same model and day. The result always includes the day. */
function priceDiff(before: ModelPrice | null, after: ModelPrice | null): JsonObject {
  const [from, to] = [before, after].map(
    (price) => price && toWire(PriceSchema, { ...price, source: "org" }),
  );
  const day = { from: from?.effective_from ?? null, to: to?.effective_from ?? null };
  return { effective_from: day, ...fieldDiff(from ?? null, to ?? null, PRICE_FIELDS) };
}

function findPrice(prices: readonly ModelPrice[], key: PriceKey): ModelPrice | null {
  return prices.find((price) => priceKey(price) === priceKey(key)) ?? null;
}

function toPrice(body: ValueOf<typeof PriceRequest>): ModelPrice {
  const effectiveFrom = parseDay(body.effectiveFrom);
  if (effectiveFrom === null) throw invalidBody([{ pointer: "/effective_from", detail: NO_DAY }]);
  return {
    model: body.model,
    effectiveFrom,
    inputUsdPerMillion: body.inputUsdPerMillion,
    cachedInputUsdPerMillion: body.cachedInputUsdPerMillion ?? null,
    cacheWrite5mUsdPerMillion: body.cacheWrite5mUsdPerMillion ?? null,
    cacheWrite1hUsdPerMillion: body.cacheWrite1hUsdPerMillion ?? null,
    audioInputUsdPerMillion: body.audioInputUsdPerMillion ?? null,
    outputUsdPerMillion: body.outputUsdPerMillion,
    reasoningUsdPerMillion: body.reasoningUsdPerMillion ?? null,
    audioOutputUsdPerMillion: body.audioOutputUsdPerMillion ?? null,
  };
}

function queryDay(name: string, text: string): Day {
  const day = parseDay(text);
  if (day === null) {
    const faults = [{ pointer: `/${name}`, detail: NO_DAY }];
    throw new DomainError("invalid-query", `${name}: ${NO_DAY}`, { faults });
  }
  return day;
}

function tooManyPrices(): DomainError {
  const detail = `The org has ${MAX_OWN_PRICES} prices of its own, which is the maximum: remove some first.`;
  return new DomainError("invalid-body", detail);
}

function noOwnPrice({ model, effectiveFrom }: PriceKey): DomainError {
  return new DomainError(
    "price-not-found",
    `The org has no price of its own for "${model}" from ${effectiveFrom} on. Built-in prices cannot be removed, only overridden: put one for the same model and day.`,
  );
}
