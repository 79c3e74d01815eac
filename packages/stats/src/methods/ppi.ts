import { unseenVariance, type WeightedDifference } from "../clusters/clustered-mean.ts";
import { degreesOfFreedom, type UserSums } from "../clusters/effective-users.ts";
import { numberClusters } from "../clusters/number-clusters.ts";
import { normalSf } from "../distributions/normal.ts";
import { studentTQuantile, studentTSf } from "../distributions/student-t.ts";
import { type ArmEstimate, fiellerOfCorrelated } from "../fieller.ts";
import { UPPER, Z } from "../level.ts";
import { mapArms, type Stratum } from "../strata.ts";
import { sumOf } from "../sum-of.ts";
import { CLOSED_FORM, floorPValue, type TestOutcome } from "./test-outcome.ts";

/** A standard deviation of an arm below this share of its value is a rounding error. */
const ROUNDING = 1e-12;

/** A call with the judge's score, and with a person's label if there is one. */
export interface ScoredUnit {
  /** The user, as a whole number chosen by the caller. */
  readonly cluster: number;
  /** 1 / the probability with which the call was drawn; above 0, in any unit. */
  readonly weight: number;
  readonly score: number;
  /** Null: no person has labeled it. */
  readonly label: number | null;
}

export interface PpiOptions {
  /** Whether a user may be in both arms. Default: false. */
  readonly shareUsers?: boolean;
  /** Whether scores and labels are on a scale from 0 to 1. Default: true. */
  readonly isWithinOne?: boolean;
}

export interface PpiOutcome extends TestOutcome {
  /** The weight of the scores next to the labels, 0 to 1. */
  readonly lambda: Stratum<number>;
}

/**
 * Tests the difference of two mean labels if few calls have labels but all have a judge's score: prediction-powered inference
 * (Angelopoulos et al. 2023) with the weight λ of the scores tuned per arm (PPI++, Angelopoulos, Duchi & Zrnic 2023). An arm's
 * mean is λ · mean score of the calls without label + mean of (label − λ score) of those with label. It is unbiased whatever the
 * judge's bias, as long as the labeled calls are a random draw from the arm's calls. All means are weighted. The variance is the
 * jackknife's at the chosen λ, leaving out whole users with all their calls. (The variance of the linearized means would be too small for
 * 50 labels of unequal weight.) If the arms share users, a cluster means the same user in both, and the variance includes the arms'
 * covariance. If a user also has several calls, Student's t replaces the normal, with the degrees of freedom of `clusterError`. About 50
 * labels per arm are needed for near normality. Weights may also include the shares of allocation periods. If all labels are at one end of
 * a scale from 0 to 1, the variance is computed with one more agreement and one more disagreement. Null if an arm has labels of fewer than
 * two users, or no spread for another reason.
 */
export function ppiDifference(
  arms: Stratum<readonly ScoredUnit[]>,
  { shareUsers = false, isWithinOne = true }: PpiOptions = {},
): PpiOutcome | null {
  const { control, treatment } = mapArms(arms, (units) => estimate(units, isWithinOne));
  if (control === null || treatment === null) return null;
  const effect = treatment.value - control.value;
  const covariance = shareUsers ? covarianceOf(control.shifts, treatment.shifts) : 0;
  const remaining = 1 - (2 * covariance) / (control.variance + treatment.variance);
  const standardError =
    Math.hypot(Math.sqrt(control.variance), Math.sqrt(treatment.variance)) *
    Math.sqrt(Math.max(0, remaining));
  const statistic = effect / standardError;
  const df = shareUsers ? dfOf(control.parts, treatment.parts) : Number.NaN;
  const criticalValue = Number.isNaN(df) ? Z : studentTQuantile(UPPER, df);
  const tail = Number.isNaN(df) ? normalSf(Math.abs(statistic)) : studentTSf(Math.abs(statistic), df);
  return {
    test: "ppi_z",
    statistic,
    pValue: floorPValue(2 * tail),
    ...CLOSED_FORM,
    controlValue: control.value,
    treatmentValue: treatment.value,
    effect,
    ciLow: effect - criticalValue * standardError,
    ciHigh: effect + criticalValue * standardError,
    standardError,
    criticalValue,
    relative: fiellerOfCorrelated(control, treatment, { covariance, criticalValue }),
    lambda: { control: control.lambda, treatment: treatment.lambda },
  };
}

/** The mean label of one sample. */
export interface PpiMean {
  readonly mean: number;
  readonly standardError: number;
  /** Of Student's t: the number of users with a label, minus one. */
  readonly df: number;
  /** The weight of the scores next to the labels, 0 to 1. */
  readonly lambda: number;
}

/**
 * Estimates the mean label as `ppiDifference` does per arm, for scores and labels that are already differences. `known` are units whose
 * label is known without a person; the labeled units were drawn from the other units. Labels are within ± `reach`. The error allows for
 * four unobserved users with such labels, because a few dozen labels do not show rare ones. Null for labels of fewer than two users.
 */
export function ppiMean(
  units: readonly ScoredUnit[],
  { known, reach }: { readonly known: readonly WeightedDifference[]; readonly reach: number },
): PpiMean | null {
  const own = combine(units);
  if (own === null) return null;
  const all = [...units.map(({ cluster, weight }) => ({ cluster, weight, value: own.value })), ...known];
  const share = totalWeight(units) / totalWeight(all);
  const shifts = new Map([...own.shifts].map(([user, shift]) => [user, share * shift]));
  addShifts(shifts, all);
  const users = countUsers(units.filter(isLabelled));
  return {
    mean: weightedMean(all),
    standardError: Math.sqrt(jackknifeVariance(shifts) + unseenVariance(share * reach, users)),
    df: users - 1,
    lambda: own.lambda,
  };
}

interface Combined {
  readonly value: number;
  readonly lambda: number;
  /** By user, how far the estimate moves if the user is left out. */
  readonly shifts: ReadonlyMap<number, number>;
  readonly parts: Parts;
}

/** λ score for the calls without a label, and label − λ score for the calls with one. */
interface Parts {
  readonly scores: readonly Term[];
  readonly gaps: readonly Term[];
}

interface PpiEstimate extends ArmEstimate, Combined {}

/** One call's value in one of an arm's two parts: the calls with a label, or those without. */
interface Term {
  readonly cluster: number;
  readonly weight: number;
  readonly value: number;
}

/** Combines scores and labels; null for labels of fewer than two users. */
function combine(units: readonly ScoredUnit[]): Combined | null {
  const labelled = units.filter(isLabelled);
  const rest = units.filter(({ label }) => label === null);
  if (countUsers(labelled) < 2) return null;
  // A single user's calls have no known spread, so they are ignored.
  const lambda = countUsers(rest) < 2 ? 0 : tune(labelled, units);
  const scores = lambda === 0 ? [] : rest.map((unit) => ({ ...unit, value: lambda * unit.score }));
  const gaps = labelled.map((unit) => ({ ...unit, value: unit.label - lambda * unit.score }));
  const value = (scores.length === 0 ? 0 : weightedMean(scores)) + weightedMean(gaps);
  const shifts = new Map<number, number>();
  for (const part of [scores, gaps]) addShifts(shifts, part);
  return { value, lambda, shifts, parts: { scores, gaps } };
}

function estimate(units: readonly ScoredUnit[], isWithinOne: boolean): PpiEstimate | null {
  const combined = combine(units);
  if (combined === null) return null;
  const { value, lambda, shifts, parts } = combined;
  const labelled = units.filter(isLabelled);
  const n = shifts.size;
  const variance = jackknifeVariance(shifts);
  if (Math.sqrt(variance * n) > ROUNDING * Math.abs(value))
    return { n, value, variance, lambda, shifts, parts };
  return isWithinOne && (agreesOn(labelled, 0) || agreesOn(labelled, 1))
    ? { n, value, variance: agreedVariance(countUsers(labelled)), lambda, shifts: new Map(), parts }
    : null;
}

function jackknifeVariance(shifts: ReadonlyMap<number, number>): number {
  return jackknifeFactor(shifts) * sumOf([...shifts.values()].map((shift) => shift * shift));
}

const jackknifeFactor = ({ size }: ReadonlyMap<number, number>): number => (size - 1) / size;

/** The jackknife covariance of two arms' estimates, summed over the users in both arms and scaled like the variances. */
function covarianceOf(control: PpiEstimate["shifts"], treatment: PpiEstimate["shifts"]): number {
  // If all labels of an arm agree, the users' shifts are not known.
  if (Math.min(control.size, treatment.size) === 0) return 0;
  const products = [...control].map(([user, shift]) => shift * (treatment.get(user) ?? 0));
  return Math.sqrt(jackknifeFactor(control) * jackknifeFactor(treatment)) * sumOf(products);
}

/** The degrees of freedom of the difference of arms that share users; NaN if each user has one unit, or neither part has a spread. */
function dfOf(control: Parts, treatment: Parts): number {
  const arms = [control.scores, treatment.scores, control.gaps, treatment.gaps];
  const { groups, count } = numberClusters(
    arms.map((arm) => Float64Array.from(arm, ({ cluster }) => cluster)),
  );
  if (count === arms.reduce((units, { length }) => units + length, 0)) return Number.NaN;
  const [c, t, ofControl, ofTreatment] = arms.map((arm, i) => sumUp(arm, { users: groups[i]!, count }));
  return degreesOfFreedom([
    { control: c!, treatment: t! },
    { control: ofControl!, treatment: ofTreatment! },
  ]);
}

function sumUp(terms: readonly Term[], { users, count }: { users: Int32Array; count: number }): UserSums {
  const column = () => new Float64Array(count);
  const sums = { sizes: column(), residual: column(), weight: column(), squares: column() };
  const [mean, total] = [weightedMean(terms), totalWeight(terms)];
  for (const [i, { weight, value }] of terms.entries()) {
    const user = users[i]!;
    const share = weight / total;
    sums.sizes[user]! += 1;
    sums.residual[user]! += value - mean;
    sums.weight[user]! += share;
    sums.squares[user]! += share * share;
  }
  const variance = sumOf(terms.map(({ value }) => (value - mean) ** 2)) / Math.max(1, terms.length);
  return { units: terms.length, variance, ...sums };
}

function agreesOn(labelled: readonly ScoredUnit[], value: number): boolean {
  return labelled.every(({ label }) => label === value);
}

/** The variance of a share if all labeled users agree, computed as if one more user had agreed and one more had disagreed. */
function agreedVariance(users: number): number {
  const share = 1 / (users + 2);
  return (share * (1 - share)) / users;
}

function isLabelled(unit: ScoredUnit): unit is ScoredUnit & { readonly label: number } {
  return unit.label !== null;
}

/**
 * Computes λ = cov(label, score) / ((1 + n / N) var(score)), limited to 0 to 1, for n effective calls with label and N without.
 * This minimizes the variance if users have one call each, and is a valid choice if they have more.
 */
function tune(
  labelled: readonly (ScoredUnit & { readonly label: number })[],
  all: readonly ScoredUnit[],
): number {
  const scores = all.map(({ weight, score }) => ({ weight, value: score }));
  const own = labelled.map(({ weight, score }) => ({ weight, value: score }));
  const labels = labelled.map(({ weight, label }) => ({ weight, value: label }));
  const size = effectiveSize(all);
  const variance = (weightedProduct(scores, scores) * size) / (size - 1);
  const ratio = effectiveSize(labelled) / effectiveSize(all.filter(({ label }) => label === null));
  const lambda = weightedProduct(labels, own) / ((1 + ratio) * variance);
  return lambda > 0 ? Math.min(1, lambda) : 0;
}

type Weighted = Pick<Term, "weight" | "value">;

function weightedMean(terms: readonly Weighted[]): number {
  return sumOf(terms.map(({ weight, value }) => weight * value)) / totalWeight(terms);
}

function totalWeight(terms: readonly Pick<Term, "weight">[]): number {
  return sumOf(terms.map(({ weight }) => weight));
}

/** Computes the weighted mean of the products of two centered columns with the same weights. */
function weightedProduct(a: readonly Weighted[], b: readonly Weighted[]): number {
  const [meanA, meanB] = [weightedMean(a), weightedMean(b)];
  return weightedMean(
    a.map(({ weight, value }, i) => ({ weight, value: (value - meanA) * (b[i]!.value - meanB) })),
  );
}

/** Computes how many calls of equal weight carry the same information (Kish 1965). */
function effectiveSize(units: readonly Pick<Term, "weight">[]): number {
  return totalWeight(units) ** 2 / sumOf(units.map(({ weight }) => weight * weight));
}

/** Adds to each user's shift how far the mean of one part moves if that user's calls are left out. */
function addShifts(shifts: Map<number, number>, part: readonly Term[]): void {
  const mean = weightedMean(part);
  const users = new Map<number, { weight: number; gap: number }>();
  for (const { cluster, weight, value } of part) {
    const own = users.get(cluster) ?? { weight: 0, gap: 0 };
    own.weight += weight;
    own.gap += weight * (value - mean);
    users.set(cluster, own);
  }
  const total = totalWeight(part);
  for (const [cluster, { weight, gap }] of users) {
    shifts.set(cluster, (shifts.get(cluster) ?? 0) - gap / (total - weight));
  }
}

function countUsers(units: readonly Pick<Term, "cluster">[]): number {
  return new Set(units.map(({ cluster }) => cluster)).size;
}
