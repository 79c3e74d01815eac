import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Day } from "../time/day.ts";
import type { ModelPrice } from "./model-price.ts";
import { mergePrices, priceFingerprint, priceFor, priceList } from "./price-list.ts";

const price = (model: string, effectiveFrom: string, input = 1): ModelPrice => ({
  model,
  effectiveFrom: effectiveFrom as Day,
  inputUsdPerMillion: input,
  cachedInputUsdPerMillion: null,
  outputUsdPerMillion: 4,
  reasoningUsdPerMillion: null,
  cacheWrite5mUsdPerMillion: null,
  cacheWrite1hUsdPerMillion: null,
  audioInputUsdPerMillion: null,
  audioOutputUsdPerMillion: null,
});
const day = (text: string) => text as Day;
const somePrices = fc.array(
  fc
    .record({
      model: fc.constantFrom("a", "b", "c"),
      day: fc.integer({ min: 10, max: 28 }),
      input: fc.nat(99),
    })
    .map(({ model, day, input }) => price(model, `2026-01-${day}`, input)),
);

describe("the price list as of a day", () => {
  const [january, march, june] = [
    price("m", "2026-01-01"),
    price("m", "2026-03-01"),
    price("m", "2026-06-01"),
  ];
  test.each([
    ["between two prices the earlier holds", "2026-04-15", march],
    ["a price holds from its first day", "2026-03-01", march],
    ["on the day before it, the previous price holds", "2026-02-28", january],
    ["the newest holds for good", "2027-01-01", june],
    ["before the first price, the first holds", "2025-01-01", january],
  ])("%s", (_name, asOf, expected) => {
    expect(priceList([june, january, march], day(asOf))).toEqual({ asOf, prices: [expected] });
  });

  test("has every model once, ordered by code units, whatever the order of the rows", () => {
    const rows = [price("b", "2026-01-01"), price("a", "2026-02-01"), price("B", "2026-01-01")];
    const names = (list: readonly ModelPrice[]) =>
      priceList(list, day("2026-01-15")).prices.map(({ model }) => model);
    expect(names(rows)).toEqual(["B", "a", "b"]);
    expect(names(rows.toReversed())).toEqual(["B", "a", "b"]);
  });

  test("a price that starts later changes only models without an earlier price", () => {
    const asOf = day("2026-01-20");
    fc.assert(
      fc.property(somePrices, fc.integer({ min: 21, max: 28 }), (rows, later) => {
        const merged = mergePrices(rows, []);
        const models = new Set(
          merged.filter(({ effectiveFrom }) => effectiveFrom <= asOf).map(({ model }) => model),
        );
        const before = priceList(merged, asOf).prices.filter(({ model }) => models.has(model));
        const after = priceList(mergePrices(merged, [price("a", `2026-01-${later}`, 1000)]), asOf);
        expect(after.prices.filter(({ model }) => models.has(model))).toEqual(before);
      }),
    );
  });
});

describe("the org's prices beside the built-in ones", () => {
  test("an org's row replaces only the built-in row of its model and day", () => {
    const builtIn = [price("m", "2026-01-01", 1), price("m", "2026-06-01", 2), price("n", "2026-01-01", 3)];
    const own = [price("m", "2026-06-01", 9), price("o", "2026-01-01", 8)];
    expect(
      mergePrices(builtIn, own).map((row) => [row.model, row.effectiveFrom, row.inputUsdPerMillion]),
    ).toEqual([
      ["m", "2026-06-01", 9],
      ["m", "2026-01-01", 1],
      ["n", "2026-01-01", 3],
      ["o", "2026-01-01", 8],
    ]);
  });

  test("every row of the org stays, and no key occurs twice", () => {
    fc.assert(
      fc.property(somePrices, somePrices, (builtIn, own) => {
        const merged = mergePrices(builtIn, mergePrices([], own));
        expect(merged).toEqual(expect.arrayContaining(mergePrices([], own)));
        const keys = merged.map(({ model, effectiveFrom }) => `${model} ${effectiveFrom}`);
        expect(new Set(keys).size).toBe(keys.length);
      }),
    );
  });
});

describe("the price of a model", () => {
  const prices = [price("gpt-x", "2026-01-01"), price("gpt-x-2026-02-03", "2026-01-01")];
  test.each([
    ["its name", "gpt-x", "gpt-x"],
    ["a snapshot's own price before its model's", "gpt-x-2026-02-03", "gpt-x-2026-02-03"],
    ["the model of a snapshot with dashes", "gpt-x-2026-05-06", "gpt-x"],
    ["the model of a snapshot without dashes", "gpt-x-20260506", "gpt-x"],
    ["the model of a snapshot after an @", "gpt-x@20260506", "gpt-x"],
    ["the model of a dashed snapshot after an @", "gpt-x@2026-05-06", "gpt-x"],
    ["no other suffix", "gpt-x-mini", null],
    ["no half-dashed day", "gpt-x-2026-0506", null],
    ["no month", "gpt-x-2026-05", null],
    ["only the last suffix", "gpt-x-20260506-20260507", null],
    ["case counts", "GPT-x", null],
    ["no empty name", "-20260506", null],
  ])("%s", (_name, model, expected) => {
    expect(priceFor(prices, model)?.model ?? null).toBe(expected);
  });

  test.each([
    ["of the tier, before the model's", "gpt-x", "flex", "gpt-x:flex"],
    ["of the tier, before the snapshot's own", "gpt-x-2026-02-03", "flex", "gpt-x:flex"],
    ["of the snapshot's tier first", "gpt-x-2026-02-03", "batch", "gpt-x-2026-02-03:batch"],
    ["without the tier's, the model's", "gpt-x", "priority", "gpt-x"],
    ["without the tier's, the snapshot's", "gpt-x-2026-02-03", "default", "gpt-x-2026-02-03"],
    ["without a tier", "gpt-x", "", "gpt-x"],
    ["of a tier alone", "gpt-y", "flex", null],
  ])("%s", (_name, model, tier, expected) => {
    const tiers = ["gpt-x:flex", "gpt-x-2026-02-03:batch", "gpt-x:batch", "gpt-y:batch"];
    const all = [...prices, ...tiers.map((name) => price(name, "2026-01-01"))];
    expect(priceFor(all, model, tier)?.model ?? null).toBe(expected);
  });
});

describe("the fingerprint of a list", () => {
  const rows = [price("a", "2026-01-01"), price("b", "2026-01-01")];
  const asOf = day("2026-02-01");
  test("is 16 hex digits and does not depend on the day or the order of the rows", () => {
    const mark = priceFingerprint(priceList(rows, asOf));
    expect(mark).toMatch(/^[0-9a-f]{16}$/);
    expect(priceFingerprint(priceList(rows.toReversed(), day("2026-03-01")))).toBe(mark);
  });

  test("of rows without the newer prices equals that of earlier versions", () => {
    expect(priceFingerprint({ prices: rows })).toBe("706b84c995be7bc2");
  });

  test.each<[string, Partial<ModelPrice>]>([
    ["model", { model: "c" }],
    ["first day", { effectiveFrom: day("2026-01-02") }],
    ["input price", { inputUsdPerMillion: 1.01 }],
    ["cached price", { cachedInputUsdPerMillion: 1 }],
    ["output price", { outputUsdPerMillion: 4.01 }],
    ["reasoning price", { reasoningUsdPerMillion: 4 }],
    ["price of writes for 5 minutes", { cacheWrite5mUsdPerMillion: 1 }],
    ["price of writes for an hour", { cacheWrite1hUsdPerMillion: 1 }],
    ["price of audio in", { audioInputUsdPerMillion: 1 }],
    ["price of audio out", { audioOutputUsdPerMillion: 1 }],
  ])("changes with a row's %s", (_name, change) => {
    const [first, second] = rows as [ModelPrice, ModelPrice];
    const changed = [first, { ...second, ...change }];
    expect(priceFingerprint({ prices: changed })).not.toBe(priceFingerprint({ prices: rows }));
  });
});
