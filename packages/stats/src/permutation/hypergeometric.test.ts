import { expect, test } from "vitest";
import { createStream } from "../random.ts";
import { drawMarked, type Urn } from "./hypergeometric.ts";

const DRAWS = 20_000;

function choose(n: number, k: number): number {
  let ways = k < 0 || k > n ? 0 : 1;
  for (let i = 1; i <= k; i++) ways = (ways * (n - k + i)) / i;
  return ways;
}

/** Draws many times from one stream. */
function drawMany(urn: Urn): number[] {
  const stream = createStream(11);
  return Array.from({ length: DRAWS }, () => drawMarked(urn, stream));
}

test.each([
  { marked: 4, others: 6, drawn: 5 },
  { marked: 2, others: 30, drawn: 3 },
  { marked: 30, others: 2, drawn: 29 },
  { marked: 40, others: 25, drawn: 20 },
  { marked: 1, others: 9, drawn: 9 },
])("draws marked users with the hypergeometric probabilities: $marked and $others, $drawn drawn", (urn) => {
  const counts = new Map<number, number>();
  for (const k of drawMany(urn)) counts.set(k, (counts.get(k) ?? 0) + 1);
  const ways = choose(urn.marked + urn.others, urn.drawn);
  let [chiSquare, cells, found] = [0, 0, 0];
  for (let k = 0; k <= urn.drawn; k++) {
    const expected = (DRAWS * choose(urn.marked, k) * choose(urn.others, urn.drawn - k)) / ways;
    const observed = counts.get(k) ?? 0;
    found += expected > 0 ? observed : 0;
    // Cells of fewer than one expected draw would spoil the approximation.
    if (expected < 1) continue;
    chiSquare += (observed - expected) ** 2 / expected;
    cells++;
  }
  expect(found).toBe(DRAWS);
  expect(chiSquare).toBeLessThan(cells + 4 * Math.sqrt(2 * cells) + 4);
});

test.each([
  { marked: 2_000, others: 98_000, drawn: 50_000 },
  { marked: 600_000, others: 400_000, drawn: 300_000 },
])("keeps mean and variance of a large urn: $marked and $others", ({ marked, others, drawn }) => {
  const n = marked + others;
  const mean = (drawn * marked) / n;
  const variance = (mean * others * (n - drawn)) / n / (n - 1);
  const draws = drawMany({ marked, others, drawn });
  const meanDrawn = draws.reduce((sum, k) => sum + k, 0) / DRAWS;
  const varianceDrawn = draws.reduce((sum, k) => sum + (k - mean) ** 2, 0) / DRAWS;
  expect(Math.abs(meanDrawn - mean)).toBeLessThan(4 * Math.sqrt(variance / DRAWS));
  expect(Math.abs(varianceDrawn / variance - 1)).toBeLessThan(4 * Math.sqrt(2 / DRAWS));
});

test.each([
  { urn: { marked: 5, others: 0, drawn: 3 }, count: 3 },
  { urn: { marked: 0, others: 7, drawn: 3 }, count: 0 },
  { urn: { marked: 5, others: 7, drawn: 12 }, count: 5 },
  { urn: { marked: 5, others: 7, drawn: 0 }, count: 0 },
  { urn: { marked: 0, others: 0, drawn: 0 }, count: 0 },
])("always draws the same from $urn", ({ urn, count }) =>
  expect(new Set(drawMany(urn))).toEqual(new Set([count])),
);
