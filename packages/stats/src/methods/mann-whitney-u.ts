import { normalSf } from "../distributions/normal.ts";
import { studentTQuantile } from "../distributions/student-t.ts";
import { UPPER } from "../level.ts";
import { combineStrata, type Stratum, satterthwaiteDf, userShares } from "../strata.ts";
import { type RankSum, rankSum } from "./rank-sum.ts";
import { CLOSED_FORM, floorPValue, type TestOutcome } from "./test-outcome.ts";

/** Arms up to this size get the exact p-value if no values are tied. */
const EXACT_USERS = 25;

/**
 * Tests whether treatment users tend to have larger values (Mann & Whitney 1947), one value per user. The effect is
 * P(T > C) + P(T = C) / 2 − ½: `treatmentValue` is the probability that a treatment user has the larger value, against ½
 * for control. It is never a difference of means or medians. p is normal with tie term and continuity correction, or exact up to
 * 25 users per arm without ties. The interval uses placements with Student's t (Brunner & Munzel 2000), within [−½, ½]. The two
 * need not agree, because p assumes equal distributions and the interval does not. Strata are weighted by users (van Elteren 1960
 * with other weights), and their U statistics are summed. If all values are equal, p = 1. If the arms do not overlap, there is no
 * interval, because placements do not vary. Null without strata, if an arm has fewer than two users, or for NaN.
 */
export function mannWhitneyU(strata: readonly Stratum<Float64Array>[]): TestOutcome | null {
  const ranked = strata.map(rankSum);
  if (ranked.length === 0 || !ranked.every((stratum) => stratum !== null)) return null;
  const shares = userShares(strata, ({ length }) => length);
  const { control, treatment } = combineStrata(ranked.map(({ deviation }) => deviation));
  const effect = treatment.value;
  const standardError = Math.sqrt(control.variance + treatment.variance);
  const criticalValue =
    standardError > 0 ? studentTQuantile(UPPER, satterthwaiteDf(control, treatment)) : null;
  const half = criticalValue === null ? null : criticalValue * standardError;
  return {
    test: "mann_whitney_u",
    statistic: ranked.reduce((sum, { u }) => sum + u, 0),
    pValue: floorPValue(exactP(ranked) ?? normalRankSumP(ranked, shares)),
    ...CLOSED_FORM,
    controlValue: 0.5,
    treatmentValue: 0.5 + effect,
    effect,
    ciLow: half === null ? null : Math.max(-0.5, effect - half),
    ciHigh: half === null ? null : Math.min(0.5, effect + half),
    standardError: half === null ? null : standardError,
    criticalValue,
    relative: { effect: null, ciLow: null, ciHigh: null },
  };
}

/** Computes the two-sided p-value of the strata's weighted share of pairs won, from the normal tail with continuity correction. */
export function normalRankSumP(strata: readonly RankSum[], shares: readonly number[]): number {
  const parts = strata.map(({ u, pairs, nullVariance }, i) => {
    const share = shares[i]! / pairs;
    return { gap: share * (u - pairs / 2), variance: share * share * nullVariance, halfStep: share / 2 };
  });
  const variance = parts.reduce((sum, part) => sum + part.variance, 0);
  if (variance === 0) return 1;
  const gap = Math.abs(parts.reduce((sum, part) => sum + part.gap, 0));
  const continuity = Math.min(...parts.map(({ halfStep }) => halfStep));
  return 2 * normalSf(Math.max(0, gap - continuity) / Math.sqrt(variance));
}

function exactP(strata: readonly RankSum[]): number | null {
  const [{ u, hasTies, deviation }, ...others] = strata as readonly [RankSum, ...RankSum[]];
  const [control, treatment] = [deviation.control.n, deviation.treatment.n];
  if (others.length > 0 || hasTies || Math.max(control, treatment) > EXACT_USERS) return null;
  return exactRankSumP(u, { control, treatment });
}

/**
 * Computes the exact two-sided p-value of the rank sum test without ties: twice the smaller tail, at most 1 (as R does).
 * `u` is the number of pairs won by either arm. Counts are exact below 1e15 orders of the users.
 */
export function exactRankSumP(
  u: number,
  { control, treatment }: { control: number; treatment: number },
): number {
  const orders = ordersByWins(control, treatment);
  // The distribution is symmetric.
  const last = Math.min(u, control * treatment - u);
  const tail = orders.slice(0, last + 1).reduce((sum, count) => sum + count, 0);
  return Math.min(1, (2 * tail) / orders.reduce((sum, count) => sum + count, 0));
}

/**
 * Counts the orders of m and n users by the number of pairs won. These are the coefficients of the Gaussian binomial
 * Π (1 − q^(n+i)) / (1 − q^i), i = 1…m, multiplied and divided factor by factor.
 */
function ordersByWins(m: number, n: number): Float64Array {
  const counts = new Float64Array(m * n + 1);
  counts[0] = 1;
  for (let i = 1; i <= m; i++) {
    for (let u = m * n; u >= n + i; u--) counts[u]! -= counts[u - n - i]!;
    for (let u = i; u <= m * n; u++) counts[u]! += counts[u - i]!;
  }
  return counts;
}
