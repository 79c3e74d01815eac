import { studentTQuantile, studentTSf } from "../distributions/student-t.ts";
import { LARGEST_EFFECT } from "../fcr.ts";
import { fiellerOfCorrelated } from "../fieller.ts";
import { UPPER } from "../level.ts";
import { floorPValue, type TestOutcome } from "../methods/test-outcome.ts";
import type { Stratum } from "../strata.ts";
import { type ClusterError, type ClusteredScores, clusterError } from "./cluster-error.ts";

/**
 * Gives the outcome of a test of independent units the error of its users. The scores are what the units add to the effect, in its
 * unit. A closed form gets the cluster-robust standard error, with p and interval from Student's t. A permutation that knew the
 * clusters keeps its numbers and gets the relative interval of correlated arms. Arms without spread stay as they are, because units
 * are exchangeable whoever they belong to. Null if the users leave no spread.
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
  // The statistic of ranks is U, and a probability has no relative effect.
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
