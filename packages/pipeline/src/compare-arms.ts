import type { ArmMetric, MetricDefinition } from "@assay/domain";
import {
  type BinaryCounts,
  fisherExact,
  mergeRatioMoments,
  type RatioMoments,
  ratioDelta,
  smallestExpectedCell,
  type TestOutcome,
  twoProportionZ,
  welchT,
} from "@assay/stats";

/** Expected cells below this make the normal approximation of proportions too coarse (statistics §1). */
const MIN_EXPECTED_CELL = 10;

/** Tests one treatment against control with the closed form that fits the metric's kind; null when the data allow none. */
export function compareArms(
  metric: MetricDefinition,
  control: readonly ArmMetric[],
  treatment: readonly ArmMetric[],
): TestOutcome | null {
  const c = merge(control);
  const t = merge(treatment);
  if (metric.kind === "ratio") return ratioDelta(c, t);
  if (metric.kind === "mean") return welchT(toMoments(c), toMoments(t));
  if (metric.kind !== "binary") return null;
  const counts = { control: toCounts(c), treatment: toCounts(t) };
  return binaryMethod(metric, counts) === "fisher_exact"
    ? fisherExact(counts.control, counts.treatment)
    : twoProportionZ(counts.control, counts.treatment);
}

/** Adds up an arm's periods. */
function merge(rows: readonly ArmMetric[]): RatioMoments {
  return rows
    .map(({ users, meanY, meanD, m2Y, m2D, cYD }) => ({ n: users, meanY, meanD, m2Y, m2D, cYD }))
    .reduce(mergeRatioMoments);
}

function toMoments({ n, meanY, m2Y }: RatioMoments) {
  return { n, mean: meanY, m2: m2Y };
}

function toCounts({ n, meanY }: RatioMoments): BinaryCounts {
  return { n, successes: Math.round(n * meanY) };
}

/** The choice depends on the pooled table only, never on which arm did better. */
function binaryMethod(
  { method, methodDefault }: MetricDefinition,
  { control, treatment }: { readonly control: BinaryCounts; readonly treatment: BinaryCounts },
): "fisher_exact" | "two_proportion_z" {
  const chosen = method ?? methodDefault;
  if (chosen === "fisher_exact" || chosen === "two_proportion_z") return chosen;
  return smallestExpectedCell(control, treatment) < MIN_EXPECTED_CELL ? "fisher_exact" : "two_proportion_z";
}
