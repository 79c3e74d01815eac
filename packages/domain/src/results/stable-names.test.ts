import { expect, test } from "vitest";
import { judgementIdempotencyKey } from "../judge/idempotency-key.ts";
import { mergePrices, priceFingerprint, priceKey, priceList } from "../price/price-list.ts";
import { parseDay } from "../time/day.ts";
import { runSeed } from "./run-seed.ts";

/*
 * Stored runs, running requests and price lists carry these names, so every release must produce the same ones.
 */

test("a run's seed", () => {
  expect(runSeed("experiment", "2026-11-20", "metric")).toBe(1_810_841_274);
  expect(runSeed("ab", "c")).not.toBe(runSeed("a", "bc"));
});

test("a judgement's idempotency key", () => {
  const task = {
    orgId: "org",
    experimentId: "experiment",
    metric: "polite",
    metricVersion: 2,
    judgeVersion: "model@0",
    eventId: "e1",
    isRepeat: false,
    drawnAt: 1_000,
  };
  expect(judgementIdempotencyKey(task, 0)).toBe("assay-8091f2f00163275fd410792eee35be3a");
});

test("a price list's fingerprint, and the order of its rows", () => {
  const price = (model: string, effectiveFrom: string) => ({
    model,
    effectiveFrom: parseDay(effectiveFrom)!,
    inputUsdPerMillion: 1,
    cachedInputUsdPerMillion: null,
    outputUsdPerMillion: 2,
    reasoningUsdPerMillion: null,
    cacheWrite5mUsdPerMillion: null,
    cacheWrite1hUsdPerMillion: null,
    audioInputUsdPerMillion: null,
    audioOutputUsdPerMillion: null,
  });
  const rows = [price("b", "2026-01-01"), price("a", "2026-01-01"), price("c", "2026-01-02")];
  expect(mergePrices(rows, []).map(({ model }) => model)).toEqual(["a", "b", "c"]);
  expect(priceFingerprint(priceList(rows, parseDay("2026-11-20")!))).toBe("d257cb7d1400b7ea");
  expect(rows.map(priceKey)).toEqual(["2026-01-01 b", "2026-01-01 a", "2026-01-02 c"]);
});
