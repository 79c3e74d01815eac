import type { Stratum } from "../strata.ts";
import { sumOf } from "../sum-of.ts";

/** The units of an arm by user. Arrays have an entry per user. */
export interface UserSums {
  readonly units: number;
  /** The mean square of the residuals. */
  readonly variance: number;
  /** The user's units. */
  readonly sizes: Float64Array;
  /** Sum of the user's residuals. */
  readonly residual: Float64Array;
  /** The sums of the weights of the user's units in the arm's mean, and of their squares. */
  readonly weight: Float64Array;
  readonly squares: Float64Array;
}

/**
 * Returns the degrees of freedom of a difference of two arms that is a sum of parts: the effective number of users minus one, at least 1.
 * NaN if all residuals are 0.
 */
export function degreesOfFreedom(parts: readonly Stratum<UserSums>[]): number {
  const variances = parts.map(userVariances).reduce((sum, part) => sum.map((own, user) => own + part[user]!));
  const sum = sumOf(variances);
  return Math.max(1, 1 / sumOf(variances.map((variance) => (variance / sum) ** 2)) - 1);
}

/** Computes each user's contribution to the variance, with one correlation for a user's units within an arm and one across arms. */
function userVariances({ control, treatment }: Stratum<UserSums>): Float64Array {
  const { within, across } = correlations(control, treatment);
  const ofBoth = 2 * across * Math.sqrt(control.variance) * Math.sqrt(treatment.variance);
  return control.weight.map((weight, user) => {
    const own = ({ variance, weight, squares }: UserSums) =>
      variance * ((1 - within) * squares[user]! + within * weight[user]! ** 2);
    return own(control) + own(treatment) - ofBoth * weight * treatment.weight[user]!;
  });
}

/** Estimates the correlation of two units of one user, within an arm and across the arms, from all pairs of a user's units. */
function correlations(control: UserSums, treatment: UserSums) {
  let [within, pairs, across, crossed] = [0, 0, 0, 0];
  const [ofControl, ofTreatment] = [Math.sqrt(control.variance) || 1, Math.sqrt(treatment.variance) || 1];
  for (let user = 0; user < control.sizes.length; user++) {
    const [c, t] = [control.residual[user]! / ofControl, treatment.residual[user]! / ofTreatment];
    within += c * c + t * t;
    across += c * t;
    pairs += control.sizes[user]! ** 2 + treatment.sizes[user]! ** 2;
    crossed += control.sizes[user]! * treatment.sizes[user]!;
  }
  const units = control.units + treatment.units;
  const limited = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value));
  const correlation = limited((within - units) / Math.max(1, pairs - units), 0, 1);
  return {
    within: correlation,
    across: limited(across / Math.max(1, crossed), -correlation, correlation),
  };
}
