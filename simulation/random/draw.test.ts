import { chiSquareSf } from "@assay/stats";
import { expect, test } from "vitest";
import { createDraw } from "./draw.ts";

const DRAWS = 200_000;

test("the same name gives the same values, another name gives others", () => {
  const values = (name: string) => {
    const draw = createDraw(name);
    return Array.from({ length: 5 }, draw.uniform);
  };
  expect(values("a")).toEqual(values("a"));
  expect(values("a")).not.toEqual(values("b"));
});

test("names that differ in one digit give uncorrelated sources", () => {
  const sources = Array.from({ length: DRAWS / 10 }, (_, k) => createDraw(`cell#${k}`).uniform());
  expect(uniformityP(sources)).toBeGreaterThan(0.001);
  const products = sources.slice(1).map((u, k) => (u - 0.5) * (sources[k]! - 0.5));
  expect(Math.abs(mean(products)) * 12 * Math.sqrt(products.length)).toBeLessThan(3.3);
});

test("uniforms fill (0, 1) evenly, singly and in pairs", () => {
  const { uniform } = createDraw("uniform");
  expect(uniformityP(Array.from({ length: DRAWS }, uniform))).toBeGreaterThan(0.001);
  const pairs = Array.from({ length: DRAWS }, () => (Math.floor(uniform() * 10) + uniform()) / 10);
  expect(uniformityP(pairs)).toBeGreaterThan(0.001);
});

test("normals have the moments of the standard normal", () => {
  const { normal } = createDraw("normal");
  const values = Array.from({ length: DRAWS }, normal);
  const moment = (power: number) => mean(values.map((x) => x ** power));
  const limit = 3.3 / Math.sqrt(DRAWS);
  expect(Math.abs(moment(1))).toBeLessThan(limit);
  expect(Math.abs(moment(2) - 1)).toBeLessThan(limit * Math.sqrt(2));
  expect(Math.abs(moment(3))).toBeLessThan(limit * Math.sqrt(15));
  expect(Math.abs(moment(4) - 3)).toBeLessThan(limit * Math.sqrt(96));
});

test("a chance has its stated frequency, and below(n) stays below n", () => {
  const { chance, below } = createDraw("chance");
  const hits = Array.from({ length: DRAWS }, () => chance(0.03)).filter(Boolean).length;
  expect(Math.abs(hits / DRAWS - 0.03)).toBeLessThan(3.3 * Math.sqrt((0.03 * 0.97) / DRAWS));
  const picks = new Set(Array.from({ length: 1000 }, () => below(7)));
  expect([...picks].sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
});

/** Pearson's chi-square test over 100 equal cells. */
function uniformityP(values: readonly number[]): number {
  const counts = new Array<number>(100).fill(0);
  for (const value of values) counts[Math.floor(value * 100)]! += 1;
  const expected = values.length / 100;
  return chiSquareSf(
    counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0),
    99,
  );
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
