import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RehearsedPair } from "../ports/rehearsals.ts";
import { drawPairs, fewestPicks, pairKey, pairsToPick, showPair } from "./draw-pairs.ts";

const pairsOf = (places: number, arms: readonly number[], repeats = 1): readonly RehearsedPair[] =>
  Array.from({ length: places }, (_, place) =>
    arms.flatMap((arm) => Array.from({ length: repeats }, (__, repeat) => ({ place, arm, repeat }))),
  ).flat();

const keysOf = (pairs: readonly RehearsedPair[]) => pairs.map(pairKey);

describe("pairs are drawn", () => {
  test("each once, in an order that depends on the pairs and the rehearsal alone", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 1, max: 3 }), (places, repeats) => {
        const pairs = pairsOf(places, [1, 2], repeats);
        const drawn = drawPairs("r", pairs);
        expect(keysOf(drawn).toSorted()).toEqual(keysOf(pairs).toSorted());
        expect(drawPairs("r", pairs.toReversed())).toEqual(drawn);
        const ids = drawn.map((pair) => showPair("r", pair).id);
        expect(new Set(ids).size).toBe(drawn.length);
      }),
    );
    const other = drawPairs("s", pairsOf(20, [1]));
    expect(keysOf(other)).not.toEqual(keysOf(drawPairs("r", pairsOf(20, [1]))));
  });

  test("as many of each treatment at any time, as long as there are any", () => {
    const drawn = drawPairs("r", [...pairsOf(30, [1, 3]), ...pairsOf(10, [2])]);
    const count = (arm: number, among: number) =>
      drawn.slice(0, among).filter((pair) => pair.arm === arm).length;
    for (let rank = 1; rank <= 10; rank++)
      expect([1, 2, 3].map((arm) => count(arm, 3 * rank))).toEqual([rank, rank, rank]);
    expect([1, 2, 3].map((arm) => count(arm, 50))).toEqual([20, 10, 20]);
  });

  test("with the same probability each, and with either answer first", () => {
    const firsts = { control: 0, treatment: 0 };
    const taken = new Array<number>(20).fill(0);
    for (let rehearsal = 0; rehearsal < 2_000; rehearsal++)
      for (const pair of drawPairs(`r${rehearsal}`, pairsOf(20, [1])).slice(0, 5)) {
        taken[pair.place] = taken[pair.place]! + 1;
        firsts[showPair(`r${rehearsal}`, pair).first] += 1;
      }
    // Binomial, four standard deviations: 500 ± 77, and 5,000 ± 200.
    for (const count of taken) expect(Math.abs(count - 500)).toBeLessThan(78);
    expect(Math.abs(firsts.control - 5_000)).toBeLessThan(200);
  });
});

test("people pick in the first pairs without a pick, at most 50 of them", () => {
  const drawn = drawPairs("r", pairsOf(80, [1]));
  expect(pairsToPick(drawn, [])).toEqual(drawn.slice(0, 50));
  const picked = [drawn[0], drawn[2], drawn[70]] as readonly RehearsedPair[];
  const next = pairsToPick(drawn, picked);
  expect(next).toEqual([drawn[1], ...drawn.slice(3, 52)]);
  expect(pairsToPick(drawn.slice(0, 2), picked)).toEqual([drawn[1]]);
});

test("the fewest picks are those of the treatment with the fewest, also none", () => {
  const picked = [1, 1, 2, 3, 3].map((arm) => ({ arm }));
  expect([fewestPicks(picked, 3), fewestPicks(picked, 1), fewestPicks(picked, 4)]).toEqual([1, 2, 0]);
});
