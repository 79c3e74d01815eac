import type { MetricDefinition, MetricResult, Results } from "../../../api/types.ts";
import { isAmong, lossClauses, planRemarks } from "../../../format/decision-words.ts";
import {
  changeClause,
  guardrailAnswer,
  lossBound,
  lossInWords,
  metricOf,
  unclearClause,
  worstLoss,
} from "../../../format/effect.ts";
import { unitOf } from "../../../format/metric-units.ts";
import { counted, number, pEquals, percent } from "../../../format/numbers.ts";
import { tradeoffClause } from "../../../format/tradeoff.ts";
import { decisiveRows } from "../../../format/verdict.ts";

type Metrics = readonly MetricDefinition[];

/** The longest time that is worth waiting. */
const HORIZON_DAYS = 30;

/** Lists the reasons of the verdict: alarms, losses of any role, trade-offs, deciding rows, guardrails, the plan, the correction. */
export function reasonsOf(
  { results, tradeoffs, decision }: Pick<Results, "results" | "tradeoffs" | "decision">,
  metrics: Metrics,
): readonly string[] {
  const rows = Object.values(results);
  const alarms = rows.filter((row) => isAmong(decision?.alarms ?? [], row));
  const decisive = decisiveRows(rows);
  const guardrails = rows.filter((row) => row.role === "guardrail" && !decisive.includes(row));
  const told = [...decisive, ...guardrails];
  return [
    ...alarms.map((row) => `${changeClause(row, metrics)}: worse by evidence that holds at any look.`),
    ...lossClauses(decision?.losses ?? [], { rows, metrics }, told).map((loss) => `${loss}.`),
    ...tradeoffs.map((tradeoff) => `Cheaper and not worse: ${tradeoffClause(tradeoff, metrics)}.`),
    ...decisive.filter((row) => !alarms.includes(row)).map((row) => decisiveReason(row, metrics)),
    ...guardrails.filter((row) => !alarms.includes(row)).map((row) => guardrailReason(row, metrics)),
    ...(decision === null ? [] : planRemarks(decision)),
    correction(rows.length),
  ];
}

function decisiveReason(row: MetricResult, metrics: Metrics): string {
  const p = `corrected ${pEquals(row.p_value_fdr, row.p_floor)}`;
  const loss = row.verdict === "better" ? null : lossInWords(row, metricOf(metrics, row));
  const bounded = loss === null ? "" : `; ${loss}`;
  return row.verdict === "inconclusive"
    ? `${row.metric}: ${unclearClause(row, row.control, metrics)}, ${p}: not clear${bounded}.`
    : `${row.metric}: ${changeClause(row, metrics)}, ${p}: ${row.verdict}${bounded}.`;
}

function guardrailReason(row: MetricResult, metrics: Metrics): string {
  const metric = metricOf(metrics, row);
  const { difference } = unitOf(metric);
  const who = `${row.metric} (guardrail) with ${row.treatment}`;
  const answer = guardrailAnswer(row, metric);
  if (answer === "worse") return `${who}: ${changeClause(row, metrics)}: worse.`;
  if (row.verdict === "better") return `${who}: ${changeClause(row, metrics)}: better.`;
  const bound = lossBound(row, metric);
  const loss = bound === null ? worstLoss(row) : bound.worstLoss;
  if (loss === null) return `${who}: not clearly worse, but this run gives no bound on the loss.`;
  const left = loss <= 0 ? "its interval excludes a loss" : `a loss of ${difference(loss)} is still possible`;
  if (bound === null) return `${who}: not clearly worse; ${left}. It has no margin for an acceptable loss.`;
  return answer === "tolerable"
    ? `${who}: ${left} (${difference(bound.margin)} allowed).`
    : `${who}: not clearly worse, but ${left} (${difference(bound.margin)} allowed).`;
}

function correction(comparisons: number): string {
  return comparisons === 1
    ? "This is the only comparison, so no correction is needed. Significant below p = 0.05."
    : `p-values are corrected for ${comparisons} comparisons (Benjamini–Hochberg). Significant below p = 0.05.`;
}

/** Lists what could change the verdict: the detectable effect and the time to the target effect. */
export function changersOf(rows: readonly MetricResult[], metrics: Metrics): readonly string[] {
  return leastSensitiveRows(rows).flatMap((row) => [
    sensitivity(row, metrics),
    ...timeToTarget(row, metrics),
  ]);
}

/** Picks one row per deciding metric: among the better ones, or else all, the one with the largest detectable effect. */
function leastSensitiveRows(rows: readonly MetricResult[]): readonly MetricResult[] {
  const known = decisiveRows(rows).filter(({ mde }) => mde !== null);
  return [...Map.groupBy(known, ({ metric }) => metric).values()].flatMap((own) => {
    const winning = own.filter(({ verdict }) => verdict === "better");
    const candidates = winning.length > 0 ? winning : own;
    return candidates.toSorted((a, b) => (b.mde ?? 0) - (a.mde ?? 0)).slice(0, 1);
  });
}

function sensitivity(row: MetricResult, metrics: Metrics): string {
  return `${row.metric}: this much data detects a change of ${sizeOf(row, row.mde ?? 0, metrics)} or more with 80% power; smaller changes may be missed.`;
}

function timeToTarget(row: MetricResult, metrics: Metrics): readonly string[] {
  const toGo = row.days_to_go;
  if (toGo === null) return [];
  const target = sizeOf(row, toGo.target_effect, metrics);
  if (toGo.days !== 0 && row.window_days < WHOLE_DAY) return [];
  if (toGo.days === null)
    return [`${row.metric}: at this traffic, detecting a change of ${target} takes more than ten years.`];
  if (toGo.days === 0) return [`${row.metric}: there is enough data to detect a change of ${target}.`];
  const range =
    toGo.days_low === null || toGo.days_high === null
      ? ""
      : ` (${number(toGo.days_low)} to ${number(toGo.days_high)}, depending on traffic)`;
  return [
    `${row.metric}: about ${counted(Math.ceil(toGo.days), "more day")}${range} to detect a change of ${target}.`,
  ];
}

/** Without a whole day nothing is known about the traffic. */
const WHOLE_DAY = 1;

/** Warns that waiting will not help an unclear row whose target is more than a month away. Null when it is nearer or unknown. */
export function powerWarning(row: MetricResult, metrics: Metrics): string | null {
  const { days_to_go: toGo, mde, window_days: days } = row;
  if (row.verdict !== "inconclusive" || toGo === null || mde === null || days < WHOLE_DAY) return null;
  if (toGo.days === null) {
    const target = sizeOf(row, toGo.target_effect, metrics);
    return `At this traffic, detecting a change of ${target} in ${row.metric} would take more than ten years.`;
  }
  if (toGo.days <= HORIZON_DAYS) return null;
  // The standard error shrinks with the square root of the users, at a constant rate of arrival. The target comes later.
  const later = Math.max(toGo.target_effect, mde * Math.sqrt(days / (days + HORIZON_DAYS)));
  return `Even after ${HORIZON_DAYS} more days, only changes in ${row.metric} above ${sizeOf(row, later, metrics)} would be detectable.`;
}

/** Formats a difference relative to control where control is above 0, else in the metric's unit. */
function sizeOf(row: MetricResult, size: number, metrics: Metrics): string {
  return row.relative_effect !== null && row.control_value > 0
    ? percent(size / row.control_value, 2)
    : unitOf(metricOf(metrics, row)).difference(size);
}
