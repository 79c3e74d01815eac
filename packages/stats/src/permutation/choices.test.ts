import { describe, expect, test } from "vitest";
import { createUniform } from "../random.ts";
import { blockSampler } from "./block-sums.ts";
import { fisherYatesSampler } from "./fisher-yates.ts";
import { drawMarked } from "./hypergeometric.ts";
import { permuteRatios } from "./permutation-test.ts";
import { permuteCounts } from "./permute-counts.ts";
import { permuteScores } from "./permute-scores.ts";
import { permuteStrata } from "./permute-strata.ts";
import { type PooledScores, poolScores } from "./pool-scores.ts";
import { originOf } from "./pooled-stratum.ts";

const OPTIONS = { permutations: 2_000, seed: 3, isComplete: true };
const scores = (seed: number, users: number) => {
  const uniform = createUniform(seed);
  return Float64Array.from({ length: users }, () => uniform());
};

describe("all relabelings are computed", () => {
  const engine = (...sizes: readonly (readonly [number, number])[]) =>
    permuteScores(
      sizes.map(([control, treatment], i) => {
        return { control: scores(2 * i + 1, control), treatment: scores(2 * i + 2, treatment) };
      }),
      OPTIONS,
    )?.engine;

  test("up to 50,000", () => {
    // C(18, 9) = 48,620; C(10, 5) C(10, 4) = 52,920.
    expect(engine([9, 9])).toBe("enumeration");
    expect(engine([5, 5], [4, 6])).toBe("monte-carlo");
  });
});

test("scores are relabeled by their counts from 800 users of each value on", () => {
  const compare = (users: number) => {
    const arm = (length: number, seed: number) => scores(seed, length).map((score) => Math.floor(3 * score));
    const strata = { control: arm(users - 1_000, 1), treatment: arm(1_000, 2) };
    const count = (values: Float64Array) =>
      new Map([0, 1, 2].map((value) => [value, values.filter((own) => own === value).length]));
    const counts = { control: count(strata.control), treatment: count(strata.treatment) };
    return [permuteScores([strata], OPTIONS)?.criticalValue, permuteCounts([counts], OPTIONS)?.criticalValue];
  };
  const [atLimit, below] = [compare(2_400), compare(2_399)];
  expect(atLimit[0]).toBe(atLimit[1]);
  expect(below[0]).not.toBe(below[1]);
});

test("an arm with less than 12 % of the users is shuffled, a larger one is summed in blocks", () => {
  const outcomes = (treatment: number) => {
    const strata = [{ control: scores(5, 400 - treatment), treatment: scores(6, treatment) }];
    const drawnBy = (sampler: "shuffled" | "in blocks") => {
      const toSampler = ({ scores, firstSize }: PooledScores) => {
        const moved = scores.filter((score) => score !== 0);
        const urn = { marked: moved.length, others: scores.length - moved.length, drawn: firstSize };
        const drawSize = (stream: Parameters<typeof drawMarked>[1]) => drawMarked(urn, stream);
        if (sampler === "shuffled") return fisherYatesSampler(moved, drawSize);
        return blockSampler(moved, { share: firstSize / scores.length, drawSize });
      };
      return permuteStrata(poolScores(strata)!, { toScores: ({ scores }) => scores, toSampler }, OPTIONS);
    };
    const { criticalValue } = permuteScores(strata, OPTIONS)!;
    return {
      isShuffled: criticalValue === drawnBy("shuffled")?.criticalValue,
      isInBlocks: criticalValue === drawnBy("in blocks")?.criticalValue,
    };
  };
  expect(outcomes(47)).toEqual({ isShuffled: true, isInBlocks: false });
  expect(outcomes(48)).toEqual({ isShuffled: false, isInBlocks: true });
});

test("a stratum of which more than 70 % are 0 is measured from 0", () => {
  const zerosOf = (zeros: number) => {
    const control = Float64Array.from({ length: 50 }, (_, user) => (2 * user < zeros ? 0 : 1 + user / 64));
    const [pooled] = poolScores([{ control, treatment: control.toReversed() }])!.strata;
    return pooled!.scores.filter((score) => score === 0).length;
  };
  expect(zerosOf(70)).toBe(0);
  expect(zerosOf(72)).toBe(72);
});

test("an origin keeps ten binary digits of the range", () => {
  expect(originOf({ mean: 0.3, min: 0, max: 1 })).toBe(307 / 1024);
  expect(originOf({ mean: 2.3, min: 1, max: 4 })).toBe(1178 / 512);
  expect(originOf({ mean: 5, min: 5, max: 5 })).toBe(5);
});

test("the interval of a ratio over strata excludes 0 exactly when p is at most .05", () => {
  const uniform = createUniform(17);
  const arm = (users: number, ratio: number, calls: number) => {
    const d = Float64Array.from({ length: users }, () => 1 + Math.floor(calls * uniform()));
    return { d, y: d.map((own) => own * (ratio + uniform())) };
  };
  let near = 0;
  for (let k = 0; k < 400; k++) {
    const strata = [
      { control: arm(3, 1, 2), treatment: arm(4, 1.4, 9) },
      { control: arm(4, 3, 9), treatment: arm(3, 3.4, 2) },
    ];
    const { pValue, ciLow, ciHigh } = permuteRatios(strata, OPTIONS)!;
    expect(ciLow! > 0 || ciHigh! < 0).toBe(pValue <= 0.05);
    near += Number(pValue > 0.05 && pValue < 0.06);
  }
  expect(near).toBeGreaterThan(3);
});
