/** Differences below this share of the values are rounding errors, so an earlier ratio that all users share explains nothing. */
const ROUNDING = 1e-12;

/** One arm's users: the outcome y over d, and x over xd from before the experiment. */
export interface RatioWithCovariate {
  readonly y: Float64Array;
  readonly d: Float64Array;
  readonly x: Float64Array;
  readonly xd: Float64Array;
}

/** A ratio of sums, and the mean of its denominator. */
export interface RatioCentre {
  readonly ratio: number;
  readonly denominator: number;
}

/** The two ratios of a group of users, and the variances and covariance of the users' linearized (y − R d) / mean d. */
export interface Spread {
  readonly n: number;
  readonly outcome: RatioCentre;
  readonly covariate: RatioCentre;
  readonly varianceY: number;
  readonly varianceX: number;
  readonly covariance: number;
}

/** The slope of the outcome on the covariate and the share it explains; NaN when one of them has no spread. */
export interface CovariateFit {
  readonly theta: number;
  readonly rSquared: number;
}

/** Computes the spread of the users of one or more arms as one group. Fewer than two users have no spread. */
export function spreadOf(arms: readonly RatioWithCovariate[]): Spread {
  const n = arms.reduce((users, { y }) => users + y.length, 0);
  const outcome = centreOf(n, total(arms, "y"), total(arms, "d"));
  const covariate = centreOf(n, total(arms, "x"), total(arms, "xd"));
  let [yy, xx, xy, size] = [0, 0, 0, 0];
  for (const { y, d, x, xd } of arms) {
    for (let i = 0; i < y.length; i++) {
      const after = (y[i]! - outcome.ratio * d[i]!) / outcome.denominator;
      const before = (x[i]! - covariate.ratio * xd[i]!) / covariate.denominator;
      yy += after * after;
      xx += before * before;
      xy += after * before;
      size += (x[i]! / covariate.denominator) ** 2;
    }
  }
  const df = Math.max(1, n - 1);
  const varianceX = xx <= ROUNDING ** 2 * size ? 0 : xx / df;
  return { n, outcome, covariate, varianceY: yy / df, varianceX, covariance: xy / df };
}

/**
 * Fits θ = Σ w cov / Σ w var(x) from the covariances within each group of users. For the two arms of one stratum with equal
 * weights this is gbstats' θ, also for ratios: its g₂ᵀΛg₁ / g₂ᵀΛg₂ is the covariance of the linearized values.
 */
export function fitCovariate(groups: readonly { weight: number; spread: Spread }[]): CovariateFit {
  const pool = (key: "varianceY" | "varianceX" | "covariance") =>
    groups.reduce((sum, { weight, spread }) => sum + weight * spread[key], 0);
  const theta = pool("covariance") / pool("varianceX");
  return { theta, rSquared: theta * (pool("covariance") / pool("varianceY")) };
}

function total(arms: readonly RatioWithCovariate[], key: keyof RatioWithCovariate): number {
  return arms.reduce((sum, arm) => arm[key].reduce((own, value) => own + value, sum), 0);
}

function centreOf(n: number, numerator: number, denominator: number): RatioCentre {
  return { ratio: numerator / denominator, denominator: denominator / n };
}
