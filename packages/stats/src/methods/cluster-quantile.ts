import { normalSf } from "../distributions/normal.ts";
import { fieller } from "../fieller.ts";
import { Z } from "../level.ts";
import { permuteScores } from "../permutation/permute-scores.ts";
import { type Stratum, userShares } from "../strata.ts";
import {
  addMass,
  binUsers,
  type ClusterBins,
  type IndexedBins,
  indexBins,
  locate,
  quantileScores,
} from "./indexed-bins.ts";
import { onceEach } from "./multiplicities.ts";
import { estimateQuantile } from "./quantile-estimate.ts";
import { CLOSED_FORM, floorPValue, type TestOutcome } from "./test-outcome.ts";

/** Users on either side of the quantile below which its interval cannot be told. */
const MIN_USERS_BEYOND = 10;
/** From this many users per arm on the normal approximation of p holds. */
const MIN_USERS_FOR_NORMAL = 100;

export interface ClusterQuantileOptions {
  /** Above 0 and below 1. */
  readonly quantile: number;
  /** Of the exact p-value of small arms. */
  readonly permutations: number;
  readonly seed: number;
}

type PValue = Pick<TestOutcome, "pValue" | "permutationsUsed" | "isAtFloor">;

/**
 * Tests the difference of a quantile of calls with users as clusters (Deng, Knoblich & Lu 2018), from calls counted by fine
 * bin: quantiles within about 0.3 % of the raw ones. When an arm has fewer than 100 users, p comes from permuting whole
 * users' scores at the quantile of both arms together, which is exact; the interval stays that of the normal approximation,
 * so the two may then disagree. All calls in one bin: p = 1. Null when fewer than 10 users lie on a side of the quantile,
 * when an arm of a stratum has fewer than two, or when an arm's quantile sits on a point that holds all of its interval.
 */
export function clusterQuantile(
  strata: readonly Stratum<ClusterBins>[],
  options: ClusterQuantileOptions,
): TestOutcome | null {
  const { quantile } = options;
  if (!hasEnoughUsers(strata, quantile)) return null;
  const shares = userShares(strata, binUsers);
  const bins = indexStrata(strata);
  const estimate = ({ edges, groups }: IndexedBins) => {
    const multiplicities = groups.map(({ offsets }) => onceEach(offsets.length - 1));
    return estimateQuantile({ edges, groups }, { quantile, shares, multiplicities });
  };
  const [control, treatment] = [estimate(bins.control), estimate(bins.treatment)];
  const effect = treatment.value - control.value;
  if (bins.control.edges.length === 1 && Number.isFinite(effect)) return oneValue(control.value);
  const standardError = Math.hypot(Math.sqrt(control.variance), Math.sqrt(treatment.variance));
  const statistic = effect / standardError;
  const users = { control: countUsers(strata, "control"), treatment: countUsers(strata, "treatment") };
  const isSmall = Math.min(users.control, users.treatment) < MIN_USERS_FOR_NORMAL;
  const permuted = isSmall ? permute(bins, options) : undefined;
  const half = Z * standardError;
  const isTold =
    control.variance > 0 && treatment.variance > 0 && Number.isFinite(half + Math.abs(statistic));
  if (permuted === null || !isTold) return null;
  return {
    test: "cluster_quantile",
    statistic,
    ...(permuted ?? normalPValue(statistic)),
    controlValue: control.value,
    treatmentValue: treatment.value,
    effect,
    ciLow: effect - half,
    ciHigh: effect + half,
    standardError,
    criticalValue: Z,
    relative: fieller({ n: users.control, ...control }, { n: users.treatment, ...treatment }, Z),
  };
}

function countUsers(strata: readonly Stratum<ClusterBins>[], arm: keyof Stratum<ClusterBins>): number {
  return strata.reduce((sum, stratum) => sum + binUsers(stratum[arm]), 0);
}

function hasEnoughUsers(strata: readonly Stratum<ClusterBins>[], quantile: number): boolean {
  const users = Math.min(countUsers(strata, "control"), countUsers(strata, "treatment"));
  // Rounded, for 100 users are 10 beyond the quantile .9, not 9.999….
  const beyond = Math.round(users * Math.min(quantile, 1 - quantile) * 1e6) / 1e6;
  const areSpread = strata.every(
    ({ control, treatment }) => Math.min(binUsers(control), binUsers(treatment)) > 1,
  );
  return areSpread && beyond >= MIN_USERS_BEYOND;
}

/** Numbers the bins of both arms alike. */
function indexStrata(strata: readonly Stratum<ClusterBins>[]): Stratum<IndexedBins> {
  const controls = strata.map(({ control }) => control);
  const treatments = strata.map(({ treatment }) => treatment);
  const { edges, groups } = indexBins([...controls, ...treatments]);
  return {
    control: { edges, groups: groups.slice(0, strata.length) },
    treatment: { edges, groups: groups.slice(strata.length) },
  };
}

function normalPValue(statistic: number): PValue {
  return { pValue: floorPValue(2 * normalSf(Math.abs(statistic))), ...CLOSED_FORM };
}

/** Permutes whole users within strata; scores at the pooled quantile do not depend on the arms. */
function permute(
  { control, treatment }: Stratum<IndexedBins>,
  { quantile, permutations, seed }: ClusterQuantileOptions,
): PValue | null {
  const mass = new Float64Array(control.edges.length);
  for (const group of [...control.groups, ...treatment.groups])
    addMass(mass, group, { times: onceEach(group.offsets.length - 1), weight: 1 });
  const pooled = locate(mass, quantile);
  const strata = control.groups.map((group, i) => ({
    control: quantileScores(group, pooled, quantile),
    treatment: quantileScores(treatment.groups[i]!, pooled, quantile),
  }));
  const outcome = permuteScores(strata, { permutations, seed });
  if (outcome === null) return null;
  const { pValue, permutationsUsed, isAtFloor } = outcome;
  return { pValue, permutationsUsed, isAtFloor };
}

function oneValue(value: number): TestOutcome {
  return {
    test: "cluster_quantile",
    statistic: null,
    pValue: 1,
    ...CLOSED_FORM,
    controlValue: value,
    treatmentValue: value,
    effect: 0,
    ciLow: null,
    ciHigh: null,
    standardError: null,
    criticalValue: null,
    relative: fieller({ n: 0, value, variance: 0 }, { n: 0, value, variance: 0 }, null),
  };
}
