export { binomialLogPmf } from "./distributions/binomial.ts";
export { chiSquareSf } from "./distributions/chi-square.ts";
export { normalCdf, normalQuantile, normalSf } from "./distributions/normal.ts";
export { studentTQuantile, studentTSf } from "./distributions/student-t.ts";
export { adjustFdr } from "./fdr.ts";
export { type ArmEstimate, fieller, type RelativeEffect } from "./fieller.ts";
export {
  binaryHistogram,
  type FineCounts,
  fineBin,
  type SharedHistogram,
  sharedHistogram,
} from "./histogram.ts";
export {
  type Moments,
  mergeMoments,
  mergeRatioMoments,
  momentsFromSums,
  type RatioMoments,
  ratioMomentsFromSums,
  type ShiftedRatioSums,
  type ShiftedSums,
} from "./moments.ts";
export { minimumDetectableEffect } from "./power.ts";
export { type AlwaysValid, alwaysValid } from "./sequential.ts";
export type { AllocationShare } from "./srm/split-model.ts";
export { type SrmInput, type SrmOutcome, srmTest } from "./srm.ts";
export { fisherExact } from "./tests/fisher-exact.ts";
export {
  type BinaryCounts,
  newcombeInterval,
  smallestExpectedCell,
  wilsonInterval,
} from "./tests/proportions.ts";
export { ratioDelta } from "./tests/ratio-delta.ts";
export type { TestOutcome } from "./tests/test-outcome.ts";
export { twoProportionZ } from "./tests/two-proportion-z.ts";
export { welchT } from "./tests/welch-t.ts";
