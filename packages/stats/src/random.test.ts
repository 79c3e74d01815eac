import { expect, test } from "vitest";
import { createStream, createUniform, fillWords } from "./random.ts";

/** xoshiro128** after the reference C of Blackman & Vigna, on BigInt instead of 32-bit integer operations. */
function referenceWords(seed: number, count: number): number[] {
  const mask = 0xffffffffn;
  const rotate = (x: bigint, k: bigint) => ((x << k) | (x >> (32n - k))) & mask;
  let counter = BigInt(seed >>> 0);
  const mix = () => {
    counter = (counter + 0x9e3779b9n) & mask;
    let z = ((counter ^ (counter >> 16n)) * 0x85ebca6bn) & mask;
    z = ((z ^ (z >> 13n)) * 0xc2b2ae35n) & mask;
    return z ^ (z >> 16n);
  };
  const s = [mix(), mix(), mix(), mix()] as [bigint, bigint, bigint, bigint];
  return Array.from({ length: count }, () => {
    const result = (rotate((s[1] * 5n) & mask, 7n) * 9n) & mask;
    const t = (s[1] << 9n) & mask;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 11n);
    return Number(result);
  });
}

test.each([0, 1, 0xdeadbeef])("draws the doubles of xoshiro128** from seed %d", (seed) => {
  const words = referenceWords(seed, 200);
  const uniform = createUniform(seed);
  for (let i = 0; i < words.length; i += 2) {
    expect(uniform()).toBe(((words[i]! >>> 5) * 2 ** 26 + (words[i + 1]! >>> 6)) / 2 ** 53);
  }
});

test("draws uniforms within [0, 1)", () => {
  const uniform = createUniform(7);
  const draws = Array.from({ length: 10_000 }, uniform);
  expect(Math.min(...draws)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...draws)).toBeLessThan(1);
  expect(draws.reduce((sum, u) => sum + u, 0) / draws.length).toBeCloseTo(0.5, 1);
});

test("fills an array with the words that single draws would give, and continues from there", () => {
  const words = referenceWords(3, 200);
  const stream = createStream(3);
  const filled = [new Int32Array(150), new Int32Array(0), new Int32Array(50)];
  for (const part of filled) fillWords(stream, part);
  expect(filled.flatMap((part) => [...part]).map((word) => word >>> 0)).toEqual(words);
});
