import { logGamma } from "../distributions/log-gamma.ts";
import { floorPValue } from "../methods/test-outcome.ts";
import { toWeights } from "./split-model.ts";

/** Concentration of the alternative splits around the allocation, in users. */
const PRIOR_USERS = 100;

/** A stretch of constant allocation: the arms' shares (of any scale) and the users first exposed in each. */
export interface ObservedSplit {
  readonly shares: readonly number[];
  readonly observed: readonly number[];
}

/** The evidence against the allocation and its p-value, valid however often you look. */
export interface SequentialSrm {
  /** 1e-300 to 1. */
  readonly pValue: number;
  /** The log of the Bayes factor; Infinity when the allocation forbids the counts. */
  readonly logEvidence: number;
}

/**
 * Tests at any number of looks whether the traffic split fits the allocation: p = min(1, 1 / Bayes factor). The Bayes factor
 * compares Dirichlet splits around the allocation with the allocation itself (Lindon & Malek 2022), multiplied over the periods. A
 * series of looks may keep the smallest p-value. An arm without a share is left out of its period; if it has users, the counts
 * are impossible. Throws RangeError unless every period has one count per share.
 */
export function sequentialSrm({ periods }: { periods: readonly ObservedSplit[] }): SequentialSrm {
  const logEvidence = periods.map(periodEvidence).reduce((sum, log) => sum + log, 0);
  return { pValue: floorPValue(Math.min(1, Math.exp(-logEvidence))), logEvidence };
}

function periodEvidence({ shares, observed }: ObservedSplit): number {
  if (shares.length !== observed.length) throw new RangeError("Every period needs one count per share.");
  if (observed.some((users, arm) => users > 0 && shares[arm]! <= 0)) return Number.POSITIVE_INFINITY;
  const open = observed.flatMap((users, arm) => (shares[arm]! > 0 ? [{ users, share: shares[arm]! }] : []));
  if (open.length === 0) return 0;
  const weights = toWeights(open.map(({ share }) => share));
  const { logAlternative, logNull } = splitLikelihoods({
    counts: open.map(({ users }) => users),
    weights,
    prior: weights.map((weight) => PRIOR_USERS * weight),
  });
  return logAlternative - logNull;
}

/** Computes the log likelihoods of the sequence of users behind the counts, under Dirichlet splits and under the weights (> 0). */
export function splitLikelihoods(split: {
  counts: readonly number[];
  weights: readonly number[];
  prior: readonly number[];
}): { readonly logAlternative: number; readonly logNull: number } {
  const { counts, weights, prior } = split;
  const add = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
  const [users, mass] = [add(counts), add(prior)];
  const arms = counts.map((count, arm) => logGamma(prior[arm]! + count) - logGamma(prior[arm]!));
  return {
    logAlternative: logGamma(mass) - logGamma(mass + users) + add(arms),
    logNull: add(counts.map((count, arm) => count * Math.log(weights[arm]!))),
  };
}
