import { binUsers, type ClusterBins, indexBins } from "./indexed-bins.ts";
import { estimateQuantile } from "./quantile-estimate.ts";

/** The functional that `clusterBootstrap` compares: it turns an arm's data into one number. */
export interface BootstrapFunctional<A> {
  usersOf(arm: A): number;
  /** Prepares one arm for many estimates, from its data in each stratum and the strata's shares of users. */
  prepare(strata: readonly A[], shares: readonly number[]): BootstrapEstimator;
}

/** Estimates the number and the variance of that estimate if user i of a stratum counts `multiplicities[i]` times. */
export type BootstrapEstimator = (multiplicities: readonly Uint8Array[]) => {
  readonly value: number;
  readonly variance: number;
};

/** The mean of one value per user. */
export const bootstrapMean: BootstrapFunctional<Float64Array> = {
  usersOf: ({ length }) => length,
  prepare: (strata, shares) =>
    bootstrapRatio.prepare(
      strata.map((y) => ({ y, d: new Float64Array(y.length).fill(1) })),
      shares,
    ),
};

/** The ratio Σy / Σd of two values per user. Over several strata, it is the ratio of the weighted means. */
export const bootstrapRatio: BootstrapFunctional<{ readonly y: Float64Array; readonly d: Float64Array }> = {
  usersOf: ({ y }) => y.length,
  prepare: (strata, shares) => (multiplicities) => {
    const means = strata.map(({ y, d }, i) => weightedMeans(y, d, multiplicities[i]!));
    const mean = (of: "y" | "d") => means.reduce((sum, part, i) => sum + shares[i]! * part[of], 0);
    const denominator = mean("d");
    const value = mean("y") / denominator;
    const variances = strata.map(({ y, d }, i) => {
      const { users, ...of } = means[i]!;
      const centre = of.y - value * of.d;
      const times = multiplicities[i]!;
      let m2 = 0;
      for (let user = 0; user < times.length; user++)
        m2 += times[user]! * (y[user]! - value * d[user]! - centre) ** 2;
      return (shares[i]! / denominator) ** 2 * (m2 / (users - 1) / users);
    });
    return { value, variance: variances.reduce((a, b) => a + b) };
  },
};

/** A quantile of the calls of users. */
export function bootstrapQuantile(quantile: number): BootstrapFunctional<ClusterBins> {
  return {
    usersOf: binUsers,
    prepare: (strata, shares) => {
      const bins = indexBins(strata);
      return (multiplicities) => estimateQuantile(bins, { quantile, shares, multiplicities });
    },
  };
}

function weightedMeans(y: Float64Array, d: Float64Array, times: Uint8Array) {
  let [users, sumY, sumD] = [0, 0, 0];
  for (let user = 0; user < times.length; user++) {
    users += times[user]!;
    sumY += times[user]! * y[user]!;
    sumD += times[user]! * d[user]!;
  }
  return { users, y: sumY / users, d: sumD / users };
}
