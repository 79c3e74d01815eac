import { expect, test } from "vitest";
import type { ArmSampler } from "./arm-sums.ts";
import type { PooledStratum } from "./pooled-stratum.ts";
import { sampleStatistics } from "./sample-statistics.ts";

/** In this stratum |t| equals |first sum| up to rounding. */
const stratum: PooledStratum = {
  firstSize: 2,
  secondSize: 2,
  sign: 1,
  share: 1,
  first: { sum: 0, squares: 1e12 },
  second: { sum: 0, squares: 1e12 },
};

/** Draws relabelings of which every nth is extreme. */
function everyNth(n: number): ArmSampler {
  let draw = 0;
  return (_, relabelings) => ({
    sum: Float64Array.from({ length: relabelings }, () => (++draw % n === 0 ? 1e3 : 1)),
    squares: new Float64Array(relabelings).fill(1e12),
  });
}

function run(sampler: ArmSampler, permutations: number) {
  const threshold = 1e-4;
  const { sizes, hasObserved } = sampleStatistics([{ stratum, sampler }], threshold, {
    permutations,
    seed: 1,
  });
  return { draws: sizes.length, exceedances: sizes.filter((size) => size >= threshold).length, hasObserved };
}

test.each([
  {
    name: "at 999 draws with 100 exceedances",
    n: 9,
    m: 10_000,
    draws: 999,
    exceedances: 111,
    hasObserved: false,
  },
  {
    name: "at the 100th exceedance after them",
    n: 10,
    m: 10_000,
    draws: 1000,
    exceedances: 100,
    hasObserved: true,
  },
  {
    name: "at the 100th exceedance, deep in",
    n: 70,
    m: 10_000,
    draws: 7000,
    exceedances: 100,
    hasObserved: true,
  },
  { name: "at the end with fewer", n: 101, m: 10_000, draws: 10_000, exceedances: 99, hasObserved: false },
  {
    name: "at the end when asked for less than 999",
    n: 2,
    m: 600,
    draws: 600,
    exceedances: 300,
    hasObserved: false,
  },
])("stops $name", ({ name: _, n, m, ...expected }) => expect(run(everyNth(n), m)).toEqual(expected));

test("draws no more relabelings than asked for, in batches of at most 512", () => {
  const asked: number[] = [];
  const count: ArmSampler = (_, relabelings) => {
    asked.push(relabelings);
    return everyNth(1e9)(_, relabelings);
  };
  run(count, 1100);
  expect(asked).toEqual([512, 512, 76]);
});

test("draws smaller batches above a million users", () => {
  const asked: number[] = [];
  const sampler: ArmSampler = (stream, relabelings) => {
    asked.push(relabelings);
    return everyNth(1e9)(stream, relabelings);
  };
  const large = { ...stratum, firstSize: 1e6 };
  sampleStatistics([{ stratum: large, sampler }], 1, { permutations: 200, seed: 1 });
  expect(asked).toEqual([128, 72]);
});

test("draws them all, however clear the result is, if an interval depends on them", () => {
  const options = { permutations: 3_000, seed: 1 };
  const drawn = (isComplete: boolean) =>
    sampleStatistics([{ stratum, sampler: everyNth(2) }], 1e-4, { ...options, isComplete }).sizes.length;
  expect([drawn(false), drawn(true)]).toEqual([999, 3_000]);
});
