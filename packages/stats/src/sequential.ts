import { floorPValue } from "./tests/test-outcome.ts";

const ALPHA = 0.05;
/** Users, both arms together, at which the interval is tightest (GrowthBook's default). */
const TUNED_FOR_USERS = 5_000;

/** An interval and a p-value that hold however often one looks. */
export interface AlwaysValid {
  readonly ciLow: number;
  readonly ciHigh: number;
  readonly pValue: number;
}

/**
 * Computes the asymptotic 95 % confidence sequence around an effect (Waudby-Smith et al. 2021, eq. 9) and its p-value,
 * from the estimate, its standard error (> 0) and the users of both arms together (≥ 1). Valid at any look for large n,
 * tightest at 5,000 users. A series of looks may keep the smallest p-value.
 */
export function alwaysValid(estimate: { effect: number; standardError: number; n: number }): AlwaysValid {
  const { effect, standardError, n } = estimate;
  const rho = mixtureRho(TUNED_FOR_USERS, ALPHA);
  const half = (standardError * mixtureBound(n, rho, ALPHA)) / Math.sqrt(n);
  const logEvidence = logMixture((effect / standardError) * Math.sqrt(n), n, rho);
  return {
    ciLow: effect - half,
    ciHigh: effect + half,
    pValue: floorPValue(Math.min(1, Math.exp(-logEvidence))),
  };
}

/** Computes the mixture precision that makes the bound tightest at intrinsic time v (Howard et al. 2021, confseq). */
export function mixtureRho(v: number, alpha: number): number {
  const log = -2 * Math.log(alpha);
  return v / (log + Math.log1p(log));
}

/** Computes the log of Robbins' two-sided normal mixture: the evidence that a sum s at intrinsic time v is no noise. */
export function logMixture(s: number, v: number, rho: number): number {
  return ((s / (v + rho)) * s - Math.log1p(v / rho)) / 2;
}

/** Computes the sum at intrinsic time v whose evidence is 1 / alpha. */
export function mixtureBound(v: number, rho: number, alpha: number): number {
  return Math.sqrt((v + rho) * (Math.log1p(v / rho) - 2 * Math.log(alpha)));
}
