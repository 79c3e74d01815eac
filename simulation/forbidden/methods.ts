import { momentsOf, normalQuantile, normalSf, type Stratum, twoProportionZ, welchT } from "@assay/stats";
import { toCounts } from "../assay/arm-data.ts";
import type { Repetitions } from "../harness/cell.ts";
import type { Calls } from "../populations/calls.ts";
import { mapStrata } from "../populations/design.ts";
import { createDraw } from "../random/draw.ts";

// Methods in use elsewhere that mistake noise for an effect. Assay has none of them.

/** A method of comparing users that returns only a p-value. */
export interface ForbiddenMethod<U> {
  readonly name: string;
  readonly repetitions: Repetitions;
  readonly run: (
    strata: readonly Stratum<readonly U[]>[],
    seed: number,
  ) => { readonly pValue: number } | null;
}

const Z = normalQuantile(0.975);
const PERMUTATIONS = 999;
const LONG_ONLY: Repetitions = { long: 2_000, short: 0 };

/** Welch's test with calls as its sample, as if each call had been randomized by itself. */
export const callLevelWelch: ForbiddenMethod<Calls> = {
  name: "Welch over calls",
  repetitions: LONG_ONLY,
  run: (strata) => welchT(mapStrata(strata, (users) => momentsOf(Float64Array.from(users.flat())))),
};

/** Compares quantiles of the calls with the standard error of independent calls. */
export function callLevelQuantile(quantile: number): ForbiddenMethod<Calls> {
  return {
    name: `p${100 * quantile} of independent calls`,
    repetitions: LONG_ONLY,
    run: ([only]) => {
      const [control, treatment] = [only!.control, only!.treatment].map((users) => {
        const calls = Float64Array.from(users.flat()).sort();
        const at = (share: number) => calls[Math.min(calls.length - 1, Math.floor(share * calls.length))]!;
        const half = Z * Math.sqrt((quantile * (1 - quantile)) / calls.length);
        return { value: at(quantile), se: (at(quantile + half) - at(quantile - half)) / (2 * Z) };
      });
      const se = Math.hypot(control!.se, treatment!.se);
      return { pValue: 2 * normalSf(Math.abs(treatment!.value - control!.value) / se) };
    },
  };
}

/** Permutes the raw difference of means instead of the studentized one. */
export const rawPermutation: ForbiddenMethod<number> = {
  name: "permutation of the raw difference",
  repetitions: LONG_ONLY,
  run: ([only], seed) => {
    const { below } = createDraw(String(seed));
    const values = [...only!.treatment, ...only!.control];
    const size = only!.treatment.length;
    const centre = values.reduce((sum, value) => sum + value, 0) / values.length;
    // With fixed arm sizes, the difference depends only on one arm's sum.
    const distance = () => Math.abs(sumOfFirst(values, size) - size * centre);
    const observed = distance();
    let atLeast = 1;
    for (let permutation = 0; permutation < PERMUTATIONS; permutation++) {
      for (let i = 0; i < size; i++) swap(values, i, i + below(values.length - i));
      if (distance() >= observed) atLeast++;
    }
    return { pValue: atLeast / (PERMUTATIONS + 1) };
  },
};

/** Adds up the periods before comparing: Simpson's paradox when shares and base rate change together. */
export const pooledZ: ForbiddenMethod<number> = {
  name: "two_proportion_z over pooled periods",
  repetitions: LONG_ONLY,
  run: (strata) =>
    twoProportionZ([
      {
        control: toCounts(strata.flatMap(({ control }) => control)),
        treatment: toCounts(strata.flatMap(({ treatment }) => treatment)),
      },
    ]),
};

function sumOfFirst(values: readonly number[], size: number): number {
  let sum = 0;
  for (let i = 0; i < size; i++) sum += values[i]!;
  return sum;
}

function swap(values: number[], i: number, j: number): void {
  [values[i], values[j]] = [values[j]!, values[i]!];
}
