import { normalCdf } from "./distributions/normal.ts";
import { ALPHA } from "./level.ts";
import { floorPValue } from "./methods/test-outcome.ts";

/** Default for the expected users of both arms together (GrowthBook's). */
export const EXPECTED_USERS = 5_000;

/** An interval and a p-value that are valid however often you look. */
export interface AlwaysValid {
  readonly ciLow: number;
  readonly ciHigh: number;
  readonly pValue: number;
  /** The natural log of the e-value at this look, which is the gain from betting against no effect. See `adjustFdrByEvidence`. */
  readonly logEvidence: number;
}

/** The data of a look: the estimate, its standard error (> 0) and the users of both arms together (≥ 1). */
export interface Look {
  readonly effect: number;
  readonly standardError: number;
  readonly n: number;
  /** The total number of expected users, fixed before the first look (≥ 1); default 5,000. */
  readonly expectedUsers?: number | undefined;
}

/**
 * Computes the asymptotic 95% confidence sequence around an effect (Waudby-Smith et al. 2021, eq. 9) and its p-value.
 * Valid at any look for large n, and tightest at the expected number of users, which must be the same for every look. A series
 * of looks may keep the smallest p-value.
 */
export function alwaysValid({ effect, standardError, n, expectedUsers = EXPECTED_USERS }: Look): AlwaysValid {
  const rho = mixtureRho(expectedUsers, ALPHA);
  const half = standardError * alwaysValidStandardErrors(n, expectedUsers);
  const logEvidence = logMixture((effect / standardError) * Math.sqrt(n), n, rho);
  return {
    ciLow: effect - half,
    ciHigh: effect + half,
    pValue: floorPValue(Math.min(1, Math.exp(-logEvidence))),
    logEvidence,
  };
}

/**
 * Computes the log of the one-sided normal mixture (Howard et al. 2021): the evidence that an effect is above 0. It is valid at any look,
 * also if the effect is below 0. A smaller effect is enough than for two-sided evidence, which looks in both directions.
 */
export function oneSidedEvidence({ effect, standardError, n, expectedUsers = EXPECTED_USERS }: Look): number {
  const rho = mixtureRho(expectedUsers, ALPHA);
  const s = (effect / standardError) * Math.sqrt(n);
  return logMixture(s, n, rho) + Math.log(2 * normalCdf(s / Math.sqrt(n + rho)));
}

/** Computes half the width of the 95% confidence sequence in standard errors, for the users of a `Look`. */
export function alwaysValidStandardErrors(n: number, expectedUsers = EXPECTED_USERS): number {
  return mixtureBound(n, mixtureRho(expectedUsers, ALPHA), ALPHA) / Math.sqrt(n);
}

/** Computes the mixture precision that makes the bound tightest at intrinsic time v (Howard et al. 2021, confseq). */
export function mixtureRho(v: number, alpha: number): number {
  const log = -2 * Math.log(alpha);
  return v / (log + Math.log1p(log));
}

/** Computes the log of Robbins' two-sided normal mixture: the evidence that a sum s at intrinsic time v is not noise. */
export function logMixture(s: number, v: number, rho: number): number {
  return ((s / (v + rho)) * s - Math.log1p(v / rho)) / 2;
}

/** Computes the sum at intrinsic time v whose evidence is 1 / alpha. */
export function mixtureBound(v: number, rho: number, alpha: number): number {
  return Math.sqrt((v + rho) * (Math.log1p(v / rho) - 2 * Math.log(alpha)));
}
