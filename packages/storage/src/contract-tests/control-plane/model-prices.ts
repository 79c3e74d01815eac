import { dayOf, type ModelPrice } from "@assay/domain";
import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import { NOW, newOrg, ODD_TEXT } from "./fixtures.ts";

const DAY = dayOf(NOW);
const YEARS = [2025, 2026, 2024].map((year) => dayOf(Date.UTC(year, 10, 21)));
const [MIDDLE, NEWEST, OLDEST] = YEARS as [typeof DAY, typeof DAY, typeof DAY];

const priceOf = (overrides: Partial<ModelPrice> = {}): ModelPrice => ({
  model: "gpt-4o",
  effectiveFrom: DAY,
  inputUsdPerMillion: 2.5,
  cachedInputUsdPerMillion: 1.25,
  cacheWrite5mUsdPerMillion: 3.125,
  cacheWrite1hUsdPerMillion: 5,
  audioInputUsdPerMillion: 40,
  outputUsdPerMillion: 10,
  reasoningUsdPerMillion: 12,
  audioOutputUsdPerMillion: 80,
  ...overrides,
});

export function modelPriceContract(engine: () => Engine): void {
  describe("model prices", () => {
    storing(engine);
    listing(engine);
    removing(engine);
  });
}

function storing(engine: () => Engine): void {
  test("are listed unchanged, for their own org", async () => {
    const [first, second] = engine().planes;
    const [orgId, other] = [await newOrg(first), await newOrg(first)];
    const price = priceOf({
      model: ODD_TEXT,
      cachedInputUsdPerMillion: null,
      reasoningUsdPerMillion: null,
    });
    await first.modelPrices.put(orgId, price);
    expect(await second.modelPrices.list(orgId)).toEqual([price]);
    expect(await second.modelPrices.list(other)).toEqual([]);
  });

  test("of a model and day are replaced completely, in their own org only", async () => {
    const [first, second] = engine().planes;
    const [orgId, other] = [await newOrg(first), await newOrg(first)];
    const replaced = priceOf({
      inputUsdPerMillion: 3,
      cachedInputUsdPerMillion: null,
      outputUsdPerMillion: 15,
      reasoningUsdPerMillion: null,
    });
    await first.modelPrices.put(orgId, priceOf());
    await first.modelPrices.put(other, priceOf());
    await second.modelPrices.put(orgId, replaced);
    expect(await first.modelPrices.list(orgId)).toEqual([replaced]);
    expect(await first.modelPrices.list(other)).toEqual([priceOf()]);
  });

  test.each([0, 0.1 + 0.2, 1 / 3, 0.075, 5e-324, 2 ** 53 - 1, Number.MAX_VALUE])(
    "keep %d exactly",
    async (usd) => {
      const [plane] = engine().planes;
      const orgId = await newOrg(plane);
      const price = priceOf({
        inputUsdPerMillion: usd,
        cachedInputUsdPerMillion: usd,
        outputUsdPerMillion: usd,
        reasoningUsdPerMillion: usd,
        cacheWrite5mUsdPerMillion: usd,
        cacheWrite1hUsdPerMillion: usd,
        audioInputUsdPerMillion: usd,
        audioOutputUsdPerMillion: usd,
      });
      await plane.modelPrices.put(orgId, price);
      expect(await plane.modelPrices.list(orgId)).toEqual([price]);
    },
  );

  test("stay unique per model and day, and consistent, when processes store at once", async () => {
    const { planes } = engine();
    const orgId = await newOrg(planes[0]);
    const prices = Array.from({ length: 10 }, (_, i) =>
      priceOf({ inputUsdPerMillion: i, cachedInputUsdPerMillion: i, outputUsdPerMillion: i }),
    );
    await Promise.all(prices.map((price, i) => planes[i % 2]!.modelPrices.put(orgId, price)));
    const listed = await planes[0].modelPrices.list(orgId);
    expect(listed).toHaveLength(1);
    expect(prices).toContainEqual(listed[0]);
  });
}

function listing(engine: () => Engine): void {
  test("are listed by the code points of the model, then by day, latest first", async () => {
    const [plane] = engine().planes;
    const orgId = await newOrg(plane);
    // A locale would put a before B and ignore the hyphen; UTF-16 would put the emoji before the wide tilde.
    const models = ["B", "a", "a b", "a-c", "aB", "ab", "e\u0301", "é", "漢", "～", "🧪"];
    for (const model of models.toReversed()) {
      for (const effectiveFrom of YEARS)
        await plane.modelPrices.put(orgId, priceOf({ model, effectiveFrom }));
    }
    const listed = await plane.modelPrices.list(orgId);
    expect(listed.map(({ model, effectiveFrom }) => [model, effectiveFrom])).toEqual(
      models.flatMap((model) => [NEWEST, MIDDLE, OLDEST].map((day) => [model, day])),
    );
  });
}

function removing(engine: () => Engine): void {
  test("are removed by model and day, once, from their own org only", async () => {
    const [first, second] = engine().planes;
    const [orgId, other] = [await newOrg(first), await newOrg(first)];
    const price = priceOf();
    const kept = [priceOf({ effectiveFrom: OLDEST }), priceOf({ model: "gpt-4o-mini" })];
    for (const each of [price, ...kept]) await first.modelPrices.put(orgId, each);
    await first.modelPrices.put(other, price);
    const removals = await Promise.all([
      first.modelPrices.remove(orgId, price),
      second.modelPrices.remove(orgId, price),
    ]);
    expect(removals.toSorted()).toEqual([false, true]);
    expect(await second.modelPrices.list(orgId)).toEqual(kept);
    expect(await second.modelPrices.list(other)).toEqual([price]);
  });
}
