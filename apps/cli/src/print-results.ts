import type { MetricResultSchema, ResultsSchema } from "@assay/contract";
import { type ExperimentUnit, UNIT_WORDS } from "@assay/domain";
import type { Static } from "typebox";
import { formatNumber, printTable } from "./print-table.ts";

type Results = Static<typeof ResultsSchema>;
type Row = Static<typeof MetricResultSchema>;

const HEAD = [
  "metric",
  "variant",
  "value",
  "effect vs control (95% CI)",
  "corrected p",
  "any-time p",
  "verdict",
];

/**
 * Prints a run as a table: value, effect with interval, corrected p (which decides), any-time p (valid at any number of looks),
 * and the verdict.
 */
export function printResults(results: Results, unit: ExperimentUnit = "user"): void {
  const kind = results.preliminary ? "Preliminary analysis" : "Nightly run";
  const revision = results.revision === 1 ? "" : `, revision ${results.revision}`;
  console.log(`${kind} ${results.computed_for}${revision}, experiment version ${results.version}`);
  console.log(gateLine(results, unit));
  const byMetric = Map.groupBy(Object.values(results.results), ({ metric }) => metric);
  if (byMetric.size > 0) printTable([HEAD, ...[...byMetric.values()].flatMap(metricLines)]);
  for (const tradeoff of results.tradeoffs) console.log(`${tradeoffLine(tradeoff)}\n`);
  if (results.decision) for (const line of planLines(results.decision)) console.log(line);
  for (const { severity, detail } of results.health)
    console.log(`${severity === "info" ? "·" : "!"} ${detail}`);
}

type Decision = NonNullable<Results["decision"]>;

/** Writes the state of the decision plan, the rows that lost, and the margins that are still open. */
export function planLines(decision: Decision): readonly string[] {
  const { alarms, losses, open, plan_changes } = decision;
  const name = ({ metric, treatment }: { metric: string; treatment: string }) =>
    `${metric} with ${treatment}`;
  return [
    planLine(decision),
    ...alarms.map((row) => `! ${name(row)} is worse by evidence that holds at any look.`),
    ...losses.map((row) => `! ${name(row)} is significantly worse.`),
    // A margin with an alarm is already broken, so it is not listed as open.
    ...open
      .filter((row) => !alarms.some((alarm) => name(alarm) === name(row)))
      .map((row) => `· ${name(row)}: its margin is not settled${needed(row)}.`),
    ...plan_changes.map(({ reason }) => `! The plan was changed after the first exposure: ${reason}`),
  ];
}

function planLine({ state, decided_on, decided_state, look, information, planned_end }: Decision): string {
  if (decided_on !== null && decided_state !== null)
    return `Decision plan: ${state}. Decision look: night of ${decided_on} (look ${look}): ${decided_state === "running" ? "nothing better, a margin not settled" : decided_state}.`;
  const share = information === 0 ? "" : `${Math.round(information * 100)} % of the planned information, `;
  return `Decision plan: ${state}; ${share}planned end ${lastNight(planned_end)}.`;
}

/** The last night before a planned end, which is at midnight. */
function lastNight(end: string): string {
  return new Date(Date.parse(end) - 1).toISOString().slice(0, 10);
}

function needed({ days, labels }: Decision["open"][number]): string {
  const needs = [...(days ? [`${days} more day(s)`] : []), ...(labels ? [`${labels} more label(s)`] : [])];
  return needs.length === 0 ? "" : `: about ${needs.join(" or ")}`;
}

function gateLine({ srm, withheld_by }: Results, unit: ExperimentUnit): string {
  const split = Object.entries(srm.observed).map(([arm, users]) => `${arm} ${users}`);
  const p = formatP(srm.p_value);
  if (withheld_by === "lost-traces")
    return "Results withheld: the arms lose different shares of their traces.";
  if (Object.values(srm.observed).every((users) => users === 0))
    return `Traffic split: no ${UNIT_WORDS[unit].one} counts yet.`;
  if (srm.status === "passed")
    return `Traffic split: ${split.join(", ")} ${UNIT_WORDS[unit].many}, as allocated (p ${p}).`;
  return `Results withheld: the traffic split ${split.join(", ")} differs from the allocation (p ${p} < ${srm.threshold}).`;
}

function metricLines(rows: readonly Row[]): string[][] {
  const first = rows[0];
  if (!first) return [];
  const control = [first.metric, first.control, formatNumber(first.control_value), "control", "", "", ""];
  return [control, ...rows.flatMap((row) => [treatmentLine(row), ...judgeLine(row)])];
}

function treatmentLine(row: Row): string[] {
  const relative = row.relative_effect === null ? "" : `, ${formatSigned(row.relative_effect * 100)}%`;
  const adjusted = row.cuped === null ? "" : ", CUPED";
  const effect = `${formatEffect(row)}${relative}${adjusted}${judgeNote(row)}`;
  return [
    "",
    row.treatment,
    formatNumber(row.treatment_value),
    effect,
    `${row.p_floor ? "≤ " : ""}${formatP(row.p_value_fdr)}`,
    row.p_value_seq === null ? "" : formatP(row.p_value_seq),
    verdict(row),
  ];
}

/** The judge's own result, for a row corrected by people's labels. */
function judgeLine({ judge }: Row): string[][] {
  const alone = judge?.uncalibrated ?? null;
  if (alone === null) return [];
  return [
    ["", "", formatNumber(alone.treatment_value), `${formatEffect(alone)}, the judge alone`, "", "", ""],
  ];
}

function judgeNote({ judge }: Row): string {
  if (judge === null) return "";
  return judge.calibrated ? ", corrected by labels" : ", judge opinion";
}

function formatEffect({ effect, ci_low, ci_high }: Pick<Row, "effect" | "ci_low" | "ci_high">): string {
  const interval =
    ci_low === null || ci_high === null ? "" : ` (${formatSigned(ci_low)} … ${formatSigned(ci_high)})`;
  return `${formatSigned(effect)}${interval}`;
}

/** Writes the verdict "cheaper and not worse" in words. */
function tradeoffLine({ treatment, saving, not_worse: bounded }: Results["tradeoffs"][number]): string {
  const money = `$${formatNumber(saving.usd_per_1000_users)} per 1,000 users ($${formatNumber(saving.ci_low)} … $${formatNumber(saving.ci_high)})`;
  const bounds = bounded.map(
    ({ metric, margin }) => `${metric} is not worse by more than ${formatNumber(margin)}`,
  );
  return `${treatment} is cheaper and not worse: it saves ${money}; ${bounds.join(", ")}.`;
}

function verdict({ verdict, effect, non_inferiority: bound }: Row): string {
  const words =
    verdict === "inconclusive"
      ? "no difference found"
      : `${verdict}: significantly ${effect > 0 ? "higher" : "lower"}`;
  if (bound === null || bound.worst_loss === null || verdict === "better") return words;
  const { is_not_worse: isNotWorse, worst_loss: worst, margin } = bound;
  const limit = formatNumber(margin);
  return `${words}, ${isNotWorse ? `not worse by more than ${limit}` : `may be worse by ${formatNumber(worst)} (${limit} allowed)`}`;
}

function formatSigned(value: number): string {
  return `${value > 0 ? "+" : ""}${formatNumber(value)}`;
}

function formatP(p: number): string {
  return p < 0.0001 ? p.toExponential(1) : p.toFixed(4);
}
