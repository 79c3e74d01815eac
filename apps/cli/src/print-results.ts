import type { MetricResultSchema, ResultsSchema } from "@assay/contract";
import type { Static } from "typebox";

type Results = Static<typeof ResultsSchema>;
type Row = Static<typeof MetricResultSchema>;

const HEAD = [
  "metric",
  "variant",
  "value",
  "effect vs control (95 % interval)",
  "corrected p",
  "any-time p",
  "verdict",
];

/**
 * Prints a run as a table for people: value, effect with interval, corrected p (decides), the p-value that holds however
 * often one looks, and the verdict in words.
 */
export function printResults(results: Results): void {
  const kind = results.preliminary ? "Preliminary analysis" : "Nightly run";
  console.log(`${kind} ${results.computed_for}, experiment version ${results.version}`);
  console.log(gateLine(results));
  const byMetric = Map.groupBy(Object.values(results.results), ({ metric }) => metric);
  if (byMetric.size > 0) printTable([HEAD, ...[...byMetric.values()].flatMap(metricLines)]);
  for (const { severity, detail } of results.health)
    console.log(`${severity === "info" ? "·" : "!"} ${detail}`);
}

function gateLine({ srm }: Results): string {
  const split = Object.entries(srm.observed).map(([arm, users]) => `${arm} ${users}`);
  const p = formatP(srm.p_value);
  if (srm.status === "passed") return `Traffic split: ${split.join(", ")} users, as allocated (p ${p}).`;
  return `Results withheld: the traffic split ${split.join(", ")} differs from the allocation (p ${p} < ${srm.threshold}).`;
}

function metricLines(rows: readonly Row[]): string[][] {
  const first = rows[0];
  if (!first) return [];
  const control = [first.metric, first.control, formatNumber(first.control_value), "control", "", "", ""];
  return [control, ...rows.map(treatmentLine)];
}

function treatmentLine(row: Row): string[] {
  const interval =
    row.ci_low === null || row.ci_high === null
      ? ""
      : ` (${formatSigned(row.ci_low)} … ${formatSigned(row.ci_high)})`;
  const relative = row.relative_effect === null ? "" : `, ${formatSigned(row.relative_effect * 100)} %`;
  const adjusted = row.cuped === null ? "" : ", CUPED";
  const effect = `${formatSigned(row.effect)}${interval}${relative}${adjusted}`;
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

function verdict({ verdict, effect }: Row): string {
  if (verdict === "inconclusive") return "no difference found";
  return `${verdict}: significantly ${effect > 0 ? "higher" : "lower"}`;
}

function printTable(lines: readonly (readonly string[])[]): void {
  const widths = HEAD.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const print = (line: readonly string[]) =>
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    );
  console.log("");
  for (const [index, line] of lines.entries()) {
    print(line);
    if (index === 0) console.log(widths.map((width) => "─".repeat(width)).join("  "));
  }
  console.log("");
}

/** Three significant digits, more for larger whole parts. */
function formatNumber(value: number): string {
  return Math.abs(value) >= 1000 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}

function formatSigned(value: number): string {
  return `${value > 0 ? "+" : ""}${formatNumber(value)}`;
}

function formatP(p: number): string {
  return p < 0.0001 ? p.toExponential(1) : p.toFixed(4);
}
