import {
  bootstrapMean,
  bootstrapQuantile,
  bootstrapRatio,
  clusterBootstrap,
  clusterQuantile,
  fisherExact,
  mannWhitneyU,
  momentsOf,
  permuteMeans,
  permuteProportions,
  permuteRatios,
  ratioDelta,
  ratioMomentsOf,
  type Stratum,
  type TestOutcome,
  twoProportionZ,
  welchT,
} from "@assay/stats";
import type { Repetitions } from "../harness/cell.ts";
import type { Calls, RatioUser } from "../populations/calls.ts";
import { mapStrata } from "../populations/design.ts";
import { toBins, toCounts, toPairs, toValues } from "./arm-data.ts";

/** A test of Assay, fed with users one by one. `seed` is for tests that draw random numbers. */
export interface UserTest<U> {
  readonly name: string;
  /** As many as the test's running time allows. */
  readonly repetitions: Repetitions;
  readonly run: (strata: readonly Stratum<readonly U[]>[], seed: number) => TestOutcome | null;
}

const CLOSED_FORM: Repetitions = { long: 4_000, short: 100 };
const PERMUTED: Repetitions = { long: 2_000, short: 25 };
const BOOTSTRAPPED: Repetitions = { long: 2_000, short: 6 };

/** The settings of the nightly pipeline. */
const PERMUTATIONS = 9_999;
const REPLICATES = 999;

export const welch: UserTest<number> = {
  name: "welch_t",
  repetitions: CLOSED_FORM,
  run: (strata) => welchT(mapStrata(strata, (users) => momentsOf(toValues(users)))),
};

export const delta: UserTest<RatioUser> = {
  name: "ratio_delta",
  repetitions: CLOSED_FORM,
  run: (strata) => ratioDelta(mapStrata(strata, (users) => ratioMomentsOf(toPairs(users)))),
};

export const proportionZ: UserTest<number> = {
  name: "two_proportion_z",
  repetitions: CLOSED_FORM,
  run: (strata) => twoProportionZ(mapStrata(strata, toCounts)),
};

/** For a single period. */
export const fisher: UserTest<number> = {
  name: "fisher_exact",
  repetitions: CLOSED_FORM,
  run: ([only]) => (only ? fisherExact(toCounts(only.control), toCounts(only.treatment)) : null),
};

export const permutedMeans: UserTest<number> = {
  name: "permutation",
  repetitions: PERMUTED,
  run: (strata, seed) => permuteMeans(mapStrata(strata, toValues), { permutations: PERMUTATIONS, seed }),
};

export const permutedRatios: UserTest<RatioUser> = {
  name: "permutation",
  repetitions: PERMUTED,
  run: (strata, seed) => permuteRatios(mapStrata(strata, toPairs), { permutations: PERMUTATIONS, seed }),
};

export const permutedProportions: UserTest<number> = {
  name: "permutation",
  repetitions: PERMUTED,
  run: (strata, seed) =>
    permuteProportions(mapStrata(strata, toCounts), { permutations: PERMUTATIONS, seed }),
};

export const rankSum: UserTest<number> = {
  name: "mann_whitney_u",
  repetitions: CLOSED_FORM,
  run: (strata) => mannWhitneyU(mapStrata(strata, toValues)),
};

export const bootstrappedMeans: UserTest<number> = {
  name: "cluster_bootstrap",
  repetitions: BOOTSTRAPPED,
  run: (strata, seed) =>
    clusterBootstrap(mapStrata(strata, toValues), {
      functional: bootstrapMean,
      replicates: REPLICATES,
      seed,
    }),
};

export const bootstrappedRatios: UserTest<RatioUser> = {
  name: "cluster_bootstrap",
  repetitions: BOOTSTRAPPED,
  run: (strata, seed) =>
    clusterBootstrap(mapStrata(strata, toPairs), {
      functional: bootstrapRatio,
      replicates: REPLICATES,
      seed,
    }),
};

/** Compares the quantile of the users' calls. */
export function quantileTest(quantile: number): UserTest<Calls> {
  return {
    name: `cluster_quantile p${100 * quantile}`,
    repetitions: { long: 4_000, short: 50 },
    run: (strata, seed) =>
      clusterQuantile(mapStrata(strata, toBins), { quantile, permutations: PERMUTATIONS, seed }),
  };
}

/** Compares the quantile of the users' calls by the bootstrap. */
export function bootstrappedQuantile(quantile: number): UserTest<Calls> {
  return {
    name: `cluster_bootstrap p${100 * quantile}`,
    repetitions: { long: 2_000, short: 3 },
    run: (strata, seed) =>
      clusterBootstrap(mapStrata(strata, toBins), {
        functional: bootstrapQuantile(quantile),
        replicates: REPLICATES,
        seed,
      }),
  };
}
