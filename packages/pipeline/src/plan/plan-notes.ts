import { type ExperimentUnit, type MetricDefinition, UNIT_WORDS } from "@assay/domain";
import type { UsersPerArm } from "@assay/stats";
import { RANK_TARGET } from "../compare/choose-test.ts";
import { HISTORY_DAYS, isRanked, type PlanBaseline } from "./plan-baseline.ts";

/** Explains why a plan's row lacks numbers, or what its numbers are based on. */
export function planNotes(
  metric: MetricDefinition,
  { baseline, relative, unit }: PlanFacts,
): readonly string[] {
  const words = UNIT_WORDS[unit];
  if (baseline === null) return [missingNote(metric, words)];
  const notes = isRanked(metric)
    ? [rankNote(words), windowNote(metric, baseline, words)]
    : [
        targetNote(metric, baseline, relative),
        spreadNote(metric, baseline, words),
        windowNote(metric, baseline, words),
      ];
  return notes.filter((note) => note !== null);
}

/** Explains which numbers a row with a baseline lacks, apart from the target's numbers. */
export function gapNotes(
  metric: MetricDefinition,
  { neededForMargin, mde, users, usersPerDay, days, config }: PlannedNumbers,
): readonly string[] {
  const { margin, desired } = metric;
  const notes: string[] = [];
  if (margin !== null && !isRanked(metric) && neededForMargin === null)
    notes.push(`No number of users settles a margin of ${margin} if the variants are alike.`);
  // The plan itself says that the users per day are not known.
  if (mde !== null || usersPerDay === null) return notes;
  const within = `In ${days} ${days === 1 ? "day" : "days"}`;
  const limit = desired === "increase" ? 1 : 0;
  return [
    ...notes,
    Math.min(users.control, users.treatment) < 1
      ? `${within}, an arm has no ${UNIT_WORDS[config.unit].one} that counts, so no effect of any size can be found.`
      : `${within}, not even a share of ${limit} differs enough from control's to be found.`,
  ];
}

interface PlannedNumbers {
  readonly neededForMargin: object | null;
  readonly mde: object | null;
  /** The users who count after the days. */
  readonly users: UsersPerArm;
  readonly usersPerDay: number | null;
  readonly days: number;
  readonly config: { readonly unit: ExperimentUnit };
}

interface PlanFacts {
  readonly baseline: PlanBaseline | null;
  /** Target, relative to control. */
  readonly relative: number;
  readonly unit: ExperimentUnit;
}

interface Words {
  readonly one: string;
  readonly many: string;
}

function missingNote({ name, kind, source }: MetricDefinition, words: Words): string {
  const value = kind === "quantile" ? "<quantile>" : "<mean>";
  const send = kind === "binary" ? '{"value": <share>}' : `{"value": ${value}, "sd": <of one ${words.one}>}`;
  return `${missingReason({ kind, source }, words)} Send baselines: {"${name}": ${send}}.`;
}

function missingReason({ kind, source }: Pick<MetricDefinition, "kind" | "source">, { many }: Words): string {
  if (source.event === "judge") return "Past scores of judges are not read.";
  if (source.event === "run") return "Past runs are not read.";
  if (kind === "quantile")
    return `The spread of a quantile over ${many} cannot be computed from the sums that history keeps. Take it from the row of a past run: sd = standard_error × √(half the ${many} per arm).`;
  return `The last ${HISTORY_DAYS} days have no data for this metric.`;
}

/** A share must stay within 0 and 1, and no effect is relative to 0. */
function targetNote(
  { kind, desired }: MetricDefinition,
  { value }: PlanBaseline,
  relative: number,
): string | null {
  if (value === 0)
    return "The baseline is 0, so a relative target has no size: send a baseline other than 0.";
  const target = value * (desired === "increase" ? 1 + relative : 1 - relative);
  if (kind !== "binary" || (target >= 0 && target <= 1)) return null;
  return `The target effect would take the share to ${target}, beyond what a share can be: choose a smaller one.`;
}

function spreadNote({ kind }: MetricDefinition, { source }: PlanBaseline, { many }: Words): string | null {
  if (kind !== "ratio") return null;
  const counted = `${many[0]!.toUpperCase()}${many.slice(1)} are counted, not calls`;
  return source === "history"
    ? `${counted}: sd includes how much ${many} differ in their calls.`
    : `${counted}: where ${many} differ much in how many calls they make, more are needed.`;
}

function windowNote(
  { kind, windowDays }: MetricDefinition,
  { source }: PlanBaseline,
  { one, many }: Words,
): string | null {
  if (windowDays !== null) {
    const wait = `Each ${one} counts after ${windowDays} days: the days needed include that wait, and ${many} of the last ${windowDays} days of a run do not count in it.`;
    const isShort = source === "history" && windowDays > HISTORY_DAYS;
    return isShort ? `${wait} The baseline is over ${HISTORY_DAYS} days only.` : wait;
  }
  const growsWithTime = kind === "mean" || kind === "binary";
  if (!growsWithTime || source !== "history") return null;
  return `The metric has no window_days, so its value grows with the days that a ${one} is watched; the baseline is over up to ${HISTORY_DAYS} days.`;
}

const rankNote = ({ one }: Words) =>
  `Planned for a probability of ${0.5 + RANK_TARGET} that a ${one} of the treatment has the better value: this is what the rank test answers. It needs no baseline, and target_effect does not apply.`;
