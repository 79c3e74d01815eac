export { type CarryOver, carryOver, type DatedScores } from "./clusters/carry-over.ts";
export {
  type ClusterError,
  type ClusteredScores,
  clusterError,
  haveSharedClusters,
  sumByCluster,
  withClusters,
} from "./clusters/cluster-error.ts";
export { clusterRobust } from "./clusters/cluster-robust.ts";
export { type ClusteredMean, clusteredMean, type WeightedDifference } from "./clusters/clustered-mean.ts";
export { countClusters, largestClusterShare } from "./clusters/number-clusters.ts";
export { type Cuped, cupedMeans, cupedRatios, type MeanWithCovariate } from "./cuped/cuped.ts";
export type { RatioWithCovariate } from "./cuped/cuped-fit.ts";
export { binomialLogPmf } from "./distributions/binomial.ts";
export { type Band, binomialBand } from "./distributions/binomial-band.ts";
export { chiSquareSf } from "./distributions/chi-square.ts";
export { normalCdf, normalQuantile, normalSf } from "./distributions/normal.ts";
export { studentTQuantile, studentTSf } from "./distributions/student-t.ts";
export { addExactly, canonicalPartials, roundedSum } from "./exact-sum.ts";
export { type IntervalOutcome, selectionAdjusted, selectionLevel } from "./fcr.ts";
export { adjustFdr, adjustFdrByEvidence } from "./fdr.ts";
export { type ArmEstimate, fieller, type RelativeEffect } from "./fieller.ts";
export { efficacyBoundaries, SMALLEST_STEP } from "./group-sequential/efficacy.ts";
export { conditionalPower, futilityBoundaries } from "./group-sequential/futility.ts";
export { informationFraction, maximumInformation } from "./group-sequential/information.ts";
export {
  binaryHistogram,
  type FineCounts,
  fineBin,
  type SharedHistogram,
  scoreHistogram,
  sharedHistogram,
} from "./histogram.ts";
export { cohenKappa, type Kappa, type KappaWeights } from "./kappa.ts";
export { ALPHA } from "./level.ts";
export {
  type BootstrapFunctional,
  bootstrapMean,
  bootstrapQuantile,
  bootstrapRatio,
} from "./methods/bootstrap-functional.ts";
export { type BootstrapOptions, clusterBootstrap } from "./methods/cluster-bootstrap.ts";
export {
  type ClusterQuantileOptions,
  clusterQuantile,
  isRuledByOneUser,
} from "./methods/cluster-quantile.ts";
export { fisherExact } from "./methods/fisher-exact.ts";
export { hodgesLehmannShift } from "./methods/hodges-lehmann-shift.ts";
export type { ClusterBins } from "./methods/indexed-bins.ts";
export { mannWhitneyU } from "./methods/mann-whitney-u.ts";
export {
  type PpiMean,
  type PpiOptions,
  type PpiOutcome,
  ppiDifference,
  ppiMean,
  type ScoredUnit,
} from "./methods/ppi.ts";
export {
  type BinaryCounts,
  newcombeInterval,
  smallestExpectedCell,
  wilsonInterval,
} from "./methods/proportions.ts";
export { placements } from "./methods/rank-sum.ts";
export { widenForRareLabels } from "./methods/rare-labels.ts";
export { ratioDelta } from "./methods/ratio-delta.ts";
export { floorPValue, TEST_NAMES, type TestName, type TestOutcome } from "./methods/test-outcome.ts";
export { twoProportionZ } from "./methods/two-proportion-z.ts";
export { welchT } from "./methods/welch-t.ts";
export {
  type Moments,
  mergeMoments,
  mergeRatioMoments,
  momentsFromSums,
  momentsOf,
  type RatioMoments,
  ratioMomentsFromSums,
  ratioMomentsOf,
  type ShiftedRatioSums,
  type ShiftedSums,
} from "./moments.ts";
export {
  permuteMeans,
  permuteProportions,
  permuteRatios,
  permuteShares,
  type RatioUsers,
  ratioScores,
} from "./permutation/permutation-test.ts";
export { permuteCounts, type ValueCounts } from "./permutation/permute-counts.ts";
export { permuteScores } from "./permutation/permute-scores.ts";
export type { PermutationOutcome } from "./permutation/permute-strata.ts";
export type { PermutationOptions } from "./permutation/sample-statistics.ts";
export { type DaysToGo, type DaysToGoInput, daysToGo, type NightlyPrecision } from "./planning/days-to-go.ts";
export {
  detectableStandardErrors,
  minimumDetectableEffect,
  type PowerTarget,
  powerOf,
} from "./planning/power.ts";
export {
  detectableEffect,
  nonInferiorityUsers,
  requiredUsers,
  type UsersPerArm,
  type UserVariances,
} from "./planning/sample-size.ts";
export {
  intraUserCorrelation,
  type UnitsOfUsers,
  unitGain,
  unitsOfOwner,
  varianceByUnit,
} from "./planning/unit-gain.ts";
export { createStream, fillWords, type RandomStream } from "./random.ts";
export { retestSd } from "./retest-sd.ts";
export {
  type AlwaysValid,
  alwaysValid,
  alwaysValidStandardErrors,
  EXPECTED_USERS,
  type Look,
  oneSidedEvidence,
} from "./sequential.ts";
export { alwaysValidProportions } from "./sequential-proportions.ts";
export { skewnessOf, usersForSkew } from "./skew.ts";
export { type ObservedSplit, type SequentialSrm, sequentialSrm } from "./srm/sequential-srm.ts";
export type { AllocationShare } from "./srm/split-model.ts";
export { type SrmInput, type SrmOutcome, srmTest } from "./srm/srm-test.ts";
export { mapStrata, type Stratum, userShares } from "./strata.ts";
export { sumOf } from "./sum-of.ts";
export { type Slope, type WeightedPoint, weightedSlope } from "./weighted-slope.ts";
