import { studentTQuantile, studentTSf } from "../distributions/student-t.ts";
import { LARGEST_EFFECT } from "../fcr.ts";
import { fiellerOfCorrelated } from "../fieller.ts";
import { UPPER } from "../level.ts";
import { floorPValue, type TestOutcome } from "../methods/test-outcome.ts";
import type { Stratum } from "../strata.ts";
import { type ClusterError, type ClusteredScores, clusterError } from "./cluster-error.ts";

/**
 * Corrects the outcome of a test of independent units for users with several units. The scores are the units' contributions to the
 * effect, in its unit. A closed form gets the cluster-robust standard error, with p and interval from Student's t. A permutation that
 * knew the clusters keeps its numbers and gets the relative interval of correlated arms. An outcome of arms without spread stays
 * unchanged, because its units are exchangeable whatever their user. Null if the sums over users have no spread.
 */
export function clusterRobust(
  outcome: TestOutcome,
  scores: readonly Stratum<ClusteredScores>[],
): TestOutcome | null {
  if (outcome.standardError === null) return outcome;
  const error = clusterError(scores);
  return outcome.permutationsUsed === 0
    ? closedForm(outcome, error)
    : { ...outcome, relative: relativeOf(outcome, error) };
}

function closedForm(outcome: TestOutcome, error: ClusterError): TestOutcome | null {
  const { test, effect } = outcome;
  const { standardError, df } = error;
  const t = effect / standardError;
  const criticalValue = studentTQuantile(UPPER, df);
  const half = criticalValue * standardError;
  if (!(standardError > 0 && Number.isFinite(half + t))) return null;
  const largest = LARGEST_EFFECT[test] ?? Number.POSITIVE_INFINITY;
  const clustered = {
    ...outcome,
    pValue: floorPValue(2 * studentTSf(Math.abs(t), df)),
    ciLow: Math.max(-largest, effect - half),
    ciHigh: Math.min(largest, effect + half),
    standardError,
    criticalValue,
  };
  // A rank test's statistic is U, and its effect, a probability, has no relative form.
  if (test === "mann_whitney_u") return clustered;
  return { ...clustered, statistic: t, relative: relativeOf(clustered, error) };
}

/** Computes the relative effect of arms with this error. */
export function relativeOf(
  {
    controlValue,
    treatmentValue,
    criticalValue,
  }: Pick<TestOutcome, "controlValue" | "treatmentValue" | "criticalValue">,
  { control, treatment, covariance }: ClusterError,
): TestOutcome["relative"] {
  return fiellerOfCorrelated(
    { n: 0, value: controlValue, variance: control },
    { n: 0, value: treatmentValue, variance: treatment },
    { covariance, criticalValue },
  );
}
