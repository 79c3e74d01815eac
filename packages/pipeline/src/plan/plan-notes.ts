import type { MetricDefinition } from "@assay/domain";
import { RANK_TARGET } from "../compare/choose-test.ts";
import { HISTORY_DAYS, isRanked, type PlanBaseline } from "./plan-baseline.ts";

/** Explains why a plan's row lacks numbers, and what its numbers rest on. */
export function planNotes(
  metric: MetricDefinition,
  baseline: PlanBaseline | null,
  relative: number,
): readonly string[] {
  if (baseline === null) return [missingNote(metric)];
  if (isRanked(metric)) return [RANK_NOTE, windowNote(metric, baseline)].filter((note) => note !== null);
  return [
    targetNote(metric, baseline, relative),
    spreadNote(metric, baseline),
    windowNote(metric, baseline),
  ].filter((note) => note !== null);
}

function missingNote({ name, kind, source }: MetricDefinition): string {
  const send = kind === "binary" ? '{"value": <share>}' : '{"value": <mean>, "sd": <of one user>}';
  return `${missingReason({ kind, source })} Send baselines: {"${name}": ${send}}.`;
}

function missingReason({ kind, source }: Pick<MetricDefinition, "kind" | "source">): string {
  if (source.event === "judge") return "No judge has scored past calls.";
  if (source.event === "run") return "Past runs are not read.";
  if (kind === "quantile")
    return "The spread of a quantile over users cannot be told from the sums that history keeps; a past run's row gives it: sd = standard_error × √(half the users per arm).";
  return `The last ${HISTORY_DAYS} days have no data of this metric.`;
}

/** A share must stay within 0 and 1, and no effect is relative to 0. */
function targetNote(
  { kind, desired }: MetricDefinition,
  { value }: PlanBaseline,
  relative: number,
): string | null {
  if (value === 0) return "The baseline is 0, so no relative target has a size: send a baseline.";
  const target = value * (desired === "increase" ? 1 + relative : 1 - relative);
  if (kind !== "binary" || (target >= 0 && target <= 1)) return null;
  return `The target effect would take the share to ${target}, beyond what a share can be: choose a smaller one.`;
}

function spreadNote({ kind }: MetricDefinition, { source }: PlanBaseline): string | null {
  if (kind !== "ratio") return null;
  return source === "history"
    ? "Users are counted, not calls: sd holds how much users differ in their calls."
    : "Users are counted, not calls: where users differ much in how many calls they make, more are needed.";
}

function windowNote({ kind, windowDays }: MetricDefinition, { source }: PlanBaseline): string | null {
  if (windowDays !== null) {
    const wait = `Each user counts after ${windowDays} days: the days needed include that wait, and users of the last ${windowDays} days of a run do not count in it.`;
    const isShort = source === "history" && windowDays > HISTORY_DAYS;
    return isShort ? `${wait} The baseline is over ${HISTORY_DAYS} days only.` : wait;
  }
  const growsWithTime = kind === "mean" || kind === "binary";
  if (!growsWithTime || source !== "history") return null;
  return `The metric has no window_days, so its value grows with the days that a user is watched; the baseline is over up to ${HISTORY_DAYS} days.`;
}

const RANK_NOTE = `Planned for a probability of ${0.5 + RANK_TARGET} that a user of the treatment has the better value: this is what the rank test answers. It needs no baseline, and target_effect does not apply.`;
