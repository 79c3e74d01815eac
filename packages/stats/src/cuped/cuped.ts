import { mapArms, mapStrata, type Stratum } from "../strata.ts";
import { sumOf } from "../sum-of.ts";
import { fitCovariate, type RatioWithCovariate, type Spread, spreadOf } from "./cuped-fit.ts";

/** With fewer users known from before, or a weaker correlation, the adjustment is not worth its noise. */
const MIN_COVERAGE = 0.3;
const MIN_R_SQUARED = 0.05;

/** One arm's users: the outcome y and the same metric before the experiment, x; NaN for a user without earlier data. */
export type MeanWithCovariate = Pick<RatioWithCovariate, "y" | "x">;

/** Outcomes less what the time before explains of them. */
export interface Cuped {
  /** The adjusted y of each user; of a ratio, over the same d as before. */
  readonly strata: readonly Stratum<Float64Array>[];
  readonly theta: number;
  /** The part of the users that have data from before. */
  readonly coverage: number;
  /** The part of the variance within arms that is gone: the squared correlation, 0 to 1. */
  readonly varianceReduction: number;
}

/**
 * Adjusts means by the same metric before the experiment (CUPED, Deng, Xu, Kohavi & Walker 2013): y − θ (x − mean x), with
 * the mean of both arms of the stratum, so that any test of location may read the result and the overall mean stays. A
 * missing x counts as that mean and moves nothing. Null unless at least 30 % of the users have data from before and both
 * arms together show r² > .05, a rule that does not know which arm did better. Assumes that y is finite and that x stems
 * from before the user's first exposure.
 */
export function cupedMeans(strata: readonly Stratum<MeanWithCovariate>[]): Cuped | null {
  const overOne = ({ y, x }: MeanWithCovariate) => ({ y, x, d: y.map(() => 1), xd: x.map(() => 1) });
  return cupedRatios(mapStrata(strata, overOne));
}

/**
 * Adjusts ratios Σy / Σd by the earlier ratio Σx / Σxd, as `cupedMeans` does; x and xd are NaN for a user without earlier
 * data. Linearised with the mean denominators D and X and the earlier ratio Rₓ of both arms of the stratum:
 * y − θ D (x − Rₓ xd) / X. Its ratio over d is then to first order R − θ (own Rₓ − Rₓ), whose variance the delta method on
 * the adjusted y gives. Null also when an arm has users but no denominator.
 */
export function cupedRatios(strata: readonly Stratum<RatioWithCovariate>[]): Cuped | null {
  const coverage = coverageOf(strata);
  // Most metrics have no earlier data: what follows would be work for nothing.
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

/** The part of the users that have earlier data; NaN without users. */
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

/** Gives users without earlier data the mean of those of the stratum that have some. */
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
