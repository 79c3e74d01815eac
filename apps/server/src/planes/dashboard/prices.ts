import { prices as operations, type PriceRequest, type PriceSchema, toWirePriceList } from "@assay/contract";
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
import type { Static } from "typebox";
import { auditEntry } from "../../audit-entry.ts";
import type { Deps } from "../../deps.ts";
import { fieldDiff } from "../../field-diff.ts";
import { defineRoute } from "../../http/define-route.ts";

/** Every analysis of the org loads all of its own prices. */
const MAX_OWN_PRICES = 1000;

type WirePrice = Static<typeof PriceSchema>;
type PriceKey = Pick<ModelPrice, "model" | "effectiveFrom">;

const NO_DAY = "must be a day of the calendar, YYYY-MM-DD.";

export const listPrices = defineRoute(operations.listPrices, async ({ query, caller }, { control }) => {
  const own = await control.modelPrices.list(caller.orgId);
  const ownKeys = new Set(own.map(priceKey));
  const merged = mergePrices(BUILT_IN_PRICES, own);
  const list = query.as_of === undefined ? null : priceList(merged, queryDay("as_of", query.as_of));
  return {
    price_list: list && toWirePriceList({ asOf: list.asOf, fingerprint: priceFingerprint(list) }),
    items: (list?.prices ?? merged)
      .filter(({ model }) => query.model === undefined || model === query.model)
      .map((price) => toWirePrice(price, ownKeys.has(priceKey(price)) ? "org" : "built-in")),
  };
});

export const putPrice = defineRoute(operations.putPrice, async ({ body, caller }, deps) => {
  const price = toPrice(body);
  const wire = toWirePrice(price, "org");
  await deps.control.transaction(async (stores) => {
    const own = await stores.modelPrices.list(caller.orgId);
    const before = findPrice(own, price);
    if (before === null && own.length >= MAX_OWN_PRICES) throw tooManyPrices();
    await stores.modelPrices.put(caller.orgId, price);
    const from = before && toWirePrice(before, "org");
    await record(caller, { action: "price.put", key: price, from, to: wire }, { ...deps, stores });
  });
  return wire;
});

export const removePrice = defineRoute(operations.removePrice, async ({ query, caller }, deps) => {
  const key = { model: query.model, effectiveFrom: queryDay("effective_from", query.effective_from) };
  await deps.control.transaction(async (stores) => {
    const before = findPrice(await stores.modelPrices.list(caller.orgId), key);
    if (before === null || !(await stores.modelPrices.remove(caller.orgId, key))) throw noOwnPrice(key);
    const from = toWirePrice(before, "org");
    await record(caller, { action: "price.remove", key, from, to: null }, { ...deps, stores });
  });
});

interface PriceDeed {
  readonly action: "price.put" | "price.remove";
  readonly key: PriceKey;
  readonly from: WirePrice | null;
  readonly to: WirePrice | null;
}

async function record(
  caller: Caller,
  { action, key, from, to }: PriceDeed,
  deps: Pick<Deps, "clock" | "newId"> & { readonly stores: ControlStores },
): Promise<void> {
  const deed = action === "price.put" ? "Set" : "Removed";
  const summary = `${deed} the price of ${key.model} from ${key.effectiveFrom} on.`;
  const target = { targetType: "price", targetId: key.model };
  const entry = auditEntry(caller, { ...target, action, summary, diff: priceDiff(from, to) }, deps);
  await deps.stores.audit.record(entry);
}

const PRICE_FIELDS = [
  "input_usd_per_million",
  "cached_input_usd_per_million",
  "output_usd_per_million",
  "reasoning_usd_per_million",
];

/** What differs between two rows of the same model and day; the day always stands in it. */
function priceDiff(from: WirePrice | null, to: WirePrice | null): JsonObject {
  const [before, after] = [from?.effective_from ?? null, to?.effective_from ?? null];
  return { effective_from: { from: before, to: after }, ...fieldDiff(from, to, PRICE_FIELDS) };
}

function findPrice(prices: readonly ModelPrice[], key: PriceKey): ModelPrice | null {
  return prices.find((price) => priceKey(price) === priceKey(key)) ?? null;
}

function toPrice(body: Static<typeof PriceRequest>): ModelPrice {
  const effectiveFrom = parseDay(body.effective_from);
  if (effectiveFrom === null) throw invalidBody([{ pointer: "/effective_from", detail: NO_DAY }]);
  return {
    model: body.model,
    effectiveFrom,
    inputUsdPerMillion: body.input_usd_per_million,
    cachedInputUsdPerMillion: body.cached_input_usd_per_million ?? null,
    outputUsdPerMillion: body.output_usd_per_million,
    reasoningUsdPerMillion: body.reasoning_usd_per_million ?? null,
  };
}

function toWirePrice(price: ModelPrice, source: WirePrice["source"]): WirePrice {
  return {
    model: price.model,
    effective_from: price.effectiveFrom,
    input_usd_per_million: price.inputUsdPerMillion,
    cached_input_usd_per_million: price.cachedInputUsdPerMillion,
    output_usd_per_million: price.outputUsdPerMillion,
    reasoning_usd_per_million: price.reasoningUsdPerMillion,
    source,
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
  const detail = `The org has ${MAX_OWN_PRICES} prices of its own, the most there can be: remove some first.`;
  return new DomainError("invalid-body", detail);
}

function noOwnPrice({ model, effectiveFrom }: PriceKey): DomainError {
  return new DomainError(
    "price-not-found",
    `The org has no price of its own for "${model}" from ${effectiveFrom} on. Built-in prices cannot be removed, only overridden: put one for the same model and day.`,
  );
}
