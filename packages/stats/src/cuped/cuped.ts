import { mapArms, mapStrata, type Stratum } from "../strata.ts";
import { sumOf } from "../sum-of.ts";
import { fitCovariate, type RatioWithCovariate, type Spread, spreadOf } from "./cuped-fit.ts";

/** With fewer users who have earlier data, or a weaker correlation, the adjustment adds more noise than it removes. */
const MIN_COVERAGE = 0.3;
const MIN_R_SQUARED = 0.05;

/** One arm's users: the outcome y and the same metric before the experiment, x; NaN for a user without earlier data. */
export type MeanWithCovariate = Pick<RatioWithCovariate, "y" | "x">;

/** Outcomes after removing the part that earlier data explain. */
export interface Cuped {
  /** The adjusted y of each user. For a ratio, d is unchanged. */
  readonly strata: readonly Stratum<Float64Array>[];
  readonly theta: number;
  /** The share of users who have earlier data. */
  readonly coverage: number;
  /** The share of the variance within arms that is removed: the squared correlation, 0 to 1. */
  readonly varianceReduction: number;
}

/**
 * Adjusts means by the same metric before the experiment (CUPED, Deng, Xu, Kohavi & Walker 2013): y − θ (x − mean x). The
 * mean is taken over both arms of the stratum, so the overall mean stays and any test of location can use the result. A
 * missing x counts as that mean and adjusts nothing. Null unless at least 30% of the users have earlier data and r² > .05
 * over both arms; this rule does not depend on which arm did better. Assumes that y is finite and that x was measured before
 * the user's first exposure.
 */
export function cupedMeans(strata: readonly Stratum<MeanWithCovariate>[]): Cuped | null {
  const overOne = ({ y, x }: MeanWithCovariate) => ({ y, x, d: y.map(() => 1), xd: x.map(() => 1) });
  return cupedRatios(mapStrata(strata, overOne));
}

/**
 * Adjusts ratios Σy / Σd by the earlier ratio Σx / Σxd, as `cupedMeans` does; x and xd are NaN for a user without earlier
 * data. The adjusted y is y − θ D (x − Rₓ xd) / X, with the mean denominators D and X and the earlier ratio Rₓ over both arms
 * of the stratum. To first order, its ratio over d is R − θ (own Rₓ − Rₓ), and the delta method on the adjusted y gives the
 * variance. Also null if an arm has users but no denominator.
 */
export function cupedRatios(strata: readonly Stratum<RatioWithCovariate>[]): Cuped | null {
  const coverage = coverageOf(strata);
  // Most metrics have no earlier data, so stop early.
  if (!(coverage >= MIN_COVERAGE)) return null;
  const filled = strata.map(fillMissing);
  const informed = filled.filter(({ known }) => known > 0);
  const decision = fitCovariate(informed.map(({ pooled }) => ({ weight: pooled.n, spread: pooled })));
  if (!(decision.rSquared > MIN_R_SQUARED)) return null;
  const { theta, rSquared } = fitCovariate(
    informed.flatMap(({ arms, pooled }) => [
      { weight: pooled.n, spread: spreadOf([arms.control]) },
      { weight: pooled.n, spread: spreadOf([arms.treatment]) },
    ]),
  );
  if (!Number.isFinite(rSquared)) return null;
  const adjusted = strata.map((stratum, i) =>
    mapArms(stratum, (arm) => adjust(arm, theta, filled[i]!.pooled)),
  );
  return { strata: adjusted, theta, coverage, varianceReduction: rSquared };
}

/** The share of users who have earlier data; NaN without users. */
function coverageOf(strata: readonly Stratum<RatioWithCovariate>[]): number {
  const arms = strata.flatMap(({ control, treatment }) => [control.x, treatment.x]);
  return sumOf(arms.map(countKnown)) / sumOf(arms.map(({ length }) => length));
}

function countKnown(values: Float64Array): number {
  return values.reduce((count, value) => (Number.isNaN(value) ? count : count + 1), 0);
}

function adjust(
  { y, x, xd }: RatioWithCovariate,
  theta: number,
  { outcome, covariate }: Spread,
): Float64Array {
  const scale = (theta * outcome.denominator) / covariate.denominator;
  return y.map((value, i) =>
    Number.isNaN(x[i]) ? value : value - scale * (x[i]! - covariate.ratio * xd[i]!),
  );
}

/** Fills in missing earlier data with the mean of the stratum's other users. */
function fillMissing(stratum: Stratum<RatioWithCovariate>) {
  const known = (key: "x" | "xd") =>
    [stratum.control, stratum.treatment].map((arm) => arm[key].filter((value) => !Number.isNaN(value)));
  const [x, xd] = [known("x"), known("xd")];
  const [meanX, meanXd] = [meanOf(x), meanOf(xd)];
  const arms = mapArms(stratum, (arm) => ({
    ...arm,
    x: arm.x.map((value) => (Number.isNaN(value) ? meanX : value)),
    xd: arm.xd.map((value) => (Number.isNaN(value) ? meanXd : value)),
  }));
  const pooled = spreadOf([arms.control, arms.treatment]);
  return { arms, pooled, known: sumOf(x.map(({ length }) => length)) };
}

function meanOf(columns: readonly Float64Array[]): number {
  return sumOf(columns.map(sumOf)) / sumOf(columns.map(({ length }) => length));
}
