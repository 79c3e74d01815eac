import {
  type ExperimentUnit,
  type HealthEntry,
  type MetricDefinition,
  type MetricResult,
  type SeriesSummary,
  UNIT_WORDS,
} from "@assay/domain";
import type { Strata } from "../compare/arm-data.ts";
import type { Comparison } from "../compare/compare-arms.ts";
import { takesMargin } from "../compare/non-inferiority.ts";
import { counted } from "../health/share-text.ts";
import { MIN_LABELS_PER_ARM } from "../judge/agreement.ts";
import { takesLabels } from "../judge/calibrate.ts";
import type { RunFrame } from "../run-frame.ts";

/** Says that the arms could not be compared. */
export function degenerateEntry(
  { name }: MetricDefinition,
  treatment: string,
  unit: ExperimentUnit,
): HealthEntry {
  return {
    code: "metric-degenerate",
    severity: "warning",
    detail: `${name} of ${treatment} cannot be compared with control: no ${UNIT_WORDS[unit].many} came to both in one allocation period, too few for the test, or values too large for a number.`,
  };
}

/** Says that one user's calls are too large a part of an arm's for a quantile of calls. */
export function oneUserEntry({ name }: MetricDefinition, treatment: string): HealthEntry {
  return {
    code: "metric-one-user",
    severity: "warning",
    detail: `${name} of ${treatment} has no row: one user makes more than a tenth of an arm's calls, so the quantile is that user's. Set that user aside as an exclusion if it is a bot or a test, or measure each user's mean (kind mean) instead.`,
  };
}

/** From this share of an arm's units on, one user largely determines the result. */
const DOMINANT_SHARE = 0.1;

/** Says that one user has a large part of an arm's units. */
export function dominantUserEntry(
  { name }: Pick<MetricDefinition, "name">,
  treatment: string,
  { clusters }: Pick<Comparison, "clusters">,
): readonly HealthEntry[] {
  if (clusters === undefined || clusters.largestShare <= DOMINANT_SHARE) return [];
  const share = `${Math.round(100 * clusters.largestShare)}%`;
  const detail = `${name} of ${treatment}: one user has ${share} of an arm's units, so the result is largely that user's. The interval allows for it. Set that user aside as an exclusion if it is a bot or a test.`;
  return [{ code: "metric-dominant-user", severity: "warning", detail }];
}

/** Says that the metric has no values, and where they should come from. */
export function unreportedEntry(
  { name, acceptFrom }: Pick<MetricDefinition, "name" | "acceptFrom">,
  source: Exclude<MetricDefinition["source"], { readonly event: "judge" }>,
  unit: ExperimentUnit,
): HealthEntry {
  const from = acceptFrom === null ? "" : `. Only events from ${acceptFrom.join(", ")} count (accept_from)`;
  return {
    code: "metric-unreported",
    severity: "warning",
    detail: `${name} has no row: no ${UNIT_WORDS[unit].one} has a value of it. It needs ${neededFor(source)}${from}.`,
  };
}

function neededFor(source: Parameters<typeof unreportedEntry>[1]): string {
  switch (source.event) {
    case "business_event":
      return `a business_event with business_metric "${source.businessMetric}" and a value other than 0; check the spelling`;
    case "model_call":
      return `a model_call with ${source.field}; check the spelling`;
    case "run":
      return source.field === "completed"
        ? "a run_end with completed true"
        : `runs that have ended, with ${source.field} other than 0: send run_id with every call, and a run_end`;
  }
}

/** Remarks when the test that ran is not the requested one. */
export function fallbackEntry(
  { name, method, methodDefault }: MetricDefinition,
  { outcome }: Comparison,
): readonly HealthEntry[] {
  const asked = method ?? methodDefault;
  if (asked === "auto" || outcome.test === asked) return [];
  const detail = `${name} asks for ${asked}, which these data do not allow: ${outcome.test} ran instead.`;
  return [{ code: "method-fallback", severity: "warning", detail }];
}

/** Says how many units an allocation change leaves out of a comparison. */
export function leftOutEntry(
  { name }: MetricDefinition,
  treatment: string,
  { leftOutUsers, unit }: Strata & { readonly unit: ExperimentUnit },
): readonly HealthEntry[] {
  if (leftOutUsers === 0) return [];
  const detail = `${name} of ${treatment} leaves out ${counted(leftOutUsers)} ${UNIT_WORDS[unit].many} ${unit === "user" ? "who" : "that"} came in allocation periods with fewer than 30 users in an arm, or in which one of the two arms was closed.`;
  return [{ code: "period-left-out", severity: "info", detail }];
}

/** Says why no judge's score counts. */
export function notJudgedEntry(
  { name, judge }: MetricDefinition,
  summary: SeriesSummary | null,
  unit: ExperimentUnit,
): HealthEntry {
  return {
    code: "metric-not-judged",
    severity: "warning",
    detail: `${name} has no row: ${notJudgedReason(judge, summary, unit)}`,
  };
}

/** Says that the plan includes no judge for the metric. Not for the demo, which comes with scores. */
export function planWithoutJudgeEntry(
  { name, source, judge }: MetricDefinition,
  { experiment, limits }: Pick<RunFrame, "experiment" | "limits">,
): readonly HealthEntry[] {
  const isLocked = limits.monthlyJudgeEvaluations === 0 && !experiment.isDemo;
  if (source.event !== "judge" || judge === null || !isLocked) return [];
  const detail = `The plan includes no judge evaluations, so no answers are judged for ${name}. On a larger plan, judging starts with the next night.`;
  return [{ code: "metric-plan-without-judge", severity: "warning", detail }];
}

function notJudgedReason(
  judge: MetricDefinition["judge"],
  summary: SeriesSummary | null,
  unit: ExperimentUnit,
): string {
  if (judge === null) return "it has no rubric, so nothing is judged. Say what makes an answer good.";
  if (summary === null)
    return "no call was drawn for its judge yet. Calls are drawn when their UTC day is over, as far as the plan's allowance goes.";
  const arms = Object.values(summary.arms);
  const count = (of: "pending" | "scored" | "failed") => arms.reduce((sum, arm) => sum + arm[of], 0);
  const [pending, scored, failed] = [count("pending"), count("scored"), count("failed")];
  if (scored > 0)
    return `no judged call is of a ${UNIT_WORDS[unit].one} ${unit === "user" ? "who" : "that"} counts.`;
  return `${pending} drawn calls wait for their judgement, and ${failed} judgements failed.`;
}

/** Says whether a judged row relies on the judge alone. */
export function labelEntries(
  metric: MetricDefinition,
  { judge, treatment }: Pick<MetricResult, "judge" | "treatment">,
): readonly HealthEntry[] {
  if (judge === null || judge.calibrated) return [];
  const missing = Object.entries(judge.labelsPerArm)
    .filter(([, labels]) => labels < MIN_LABELS_PER_ARM)
    .map(([arm, labels]) => `${arm} lacks ${MIN_LABELS_PER_ARM - labels}`);
  const advice = !takesLabels(metric)
    ? `Labels cannot correct it: they correct only the kinds ratio and mean with the test auto or ppi_z.`
    : missing.length > 0
      ? `Labels correct it from ${MIN_LABELS_PER_ARM} per arm on: ${missing.join(", ")}.`
      : "Its labels have no spread, so they cannot correct it.";
  const detail = `${metric.name} of ${treatment} is the judge's opinion. ${advice}`;
  return [{ code: "judge-opinion", severity: "info", detail }];
}

/** Says that a rank test cannot judge the metric's margin. */
export function marginEntry(
  { name, margin }: Pick<MetricDefinition, "name" | "margin">,
  { test, treatment }: Pick<MetricResult, "test" | "treatment">,
): readonly HealthEntry[] {
  if (margin === null || takesMargin(test)) return [];
  const detail = `The margin of ${name} says nothing about ${treatment}: ${test} compares ranks, and its effect is a probability. Use welch_t.`;
  return [{ code: "margin-not-judged", severity: "warning", detail }];
}

/** Below this p-value, the influence of earlier units on later ones is not chance. */
export const CARRY_OVER_ALPHA = 0.001;

/** Says that units are not independent of each other: a user's earlier variant shows in later units. */
export function carryOverEntry(
  name: string,
  { treatment, carryOver }: Pick<MetricResult, "treatment" | "carryOver">,
): readonly HealthEntry[] {
  if (carryOver == null) return [];
  const { earlierPValue, pValue } = carryOver;
  if (Math.min(earlierPValue, pValue) >= CARRY_OVER_ALPHA) return [];
  const found =
    earlierPValue < CARRY_OVER_ALPHA
      ? "depends on the variant that a user had in the unit before"
      : "differs between the first units of users and all units";
  const detail = `${name} of ${treatment} ${found}. A user's units influence each other: trust the effect in first units, or experiment on users.`;
  return [{ code: "carry-over", severity: "warning", detail }];
}

/** Says that the values are too skewed for one-sided and any-time claims, and what to do. */
export function skewEntry(
  { name, kind, cap }: Pick<MetricDefinition, "name" | "kind" | "cap">,
  {
    treatment,
    nPerArm,
    usersPerArm = nPerArm,
    usersForSkew,
  }: Pick<MetricResult, "treatment" | "nPerArm" | "usersPerArm" | "usersForSkew">,
): readonly HealthEntry[] {
  const users = Math.min(...Object.values(usersPerArm));
  if (usersForSkew == null || users >= usersForSkew) return [];
  const advice =
    kind === "mean" && cap === null
      ? `Set a cap ("p99.9") in a new version of the metric, or wait until every arm has ${counted(usersForSkew)} users.`
      : `Wait until every arm has ${counted(usersForSkew)} users.`;
  const detail = `${name} of ${treatment} is not settled: a few users weigh too much. "Not worse" and the any-time p-value and interval are withheld, since the smaller arm has ${counted(users)} users. ${advice}`;
  return [{ code: "metric-skewed", severity: "info", detail }];
}
