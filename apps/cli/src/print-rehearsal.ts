import type { RehearsalSchema } from "@assay/contract";
import type { Static } from "typebox";
import { formatNumber, printTable } from "./print-table.ts";

export type WireRehearsal = Static<typeof RehearsalSchema>;
type Verdict = WireRehearsal["report"]["verdicts"][number];
type Row = WireRehearsal["report"]["rows"][number];

/** The exit codes by verdict. The first verdict that any treatment has decides. */
const EXITS = [
  ["worse", 1],
  ["invalid", 3],
  ["undecided", 2],
] as const;

/** Returns the exit code of a rehearsal: 0 when no treatment has one of these verdicts. */
export function exitCodeOf({ report: { verdicts } }: Pick<WireRehearsal, "report">): number {
  const found = EXITS.find(([verdict]) => verdicts.some((one) => one.verdict === verdict));
  return found === undefined ? 0 : found[1];
}

const HEAD = ["metric", "treatment", "inputs", "control", "treatment's", "difference", "95% interval", "p"];

/** Prints a rehearsal's rows as a table, and the verdicts below it. */
export function printRehearsal(rehearsal: WireRehearsal): void {
  printTable([HEAD, ...rehearsal.report.rows.map(cellsOf)]);
  for (const { treatment, verdict, detail } of rehearsal.report.verdicts)
    console.log(`${verdict === "not-worse" ? "·" : "!"} ${treatment}: ${verdict}. ${detail}`);
  console.log(summaryOf(rehearsal));
}

function cellsOf(row: Row): string[] {
  const value = (number: number | null) => (number === null ? "" : formatNumber(number));
  const { ci_low: low, ci_high: high, p_value: p } = row;
  const interval = low === null || high === null ? "" : `${formatNumber(low)} … ${formatNumber(high)}`;
  const values = [row.control_value, row.treatment_value, row.effect].map(value);
  return [
    row.metric,
    row.treatment,
    String(row.inputs),
    ...values,
    interval,
    p === null ? "" : p.toPrecision(2),
  ];
}

function summaryOf({
  progress,
  inputs,
  spent_usd: spent,
  budget_usd: budget,
  ...rest
}: WireRehearsal): string {
  const why = rest.ended_because === null ? rest.state : `${rest.state}: ${rest.ended_because}`;
  return `${progress.finished_inputs} of ${inputs} inputs, $${spent.toFixed(2)} of $${budget.toFixed(2)} spent (${why}).`;
}

/** Writes the report as Markdown, for a comment on a pull request. */
export function toMarkdown(rehearsal: WireRehearsal): string {
  const { verdicts, rows } = rehearsal.report;
  const line = (cells: readonly string[]) => `| ${cells.map(inCell).join(" | ")} |`;
  return [
    "### Rehearsal",
    "",
    ...verdicts.map(
      ({ treatment, verdict, detail }) => `- **${inCell(treatment)}: ${verdict}**. ${inCell(detail)}`,
    ),
    "",
    line(HEAD),
    line(HEAD.map(() => "---")),
    ...rows.map((row) => line(cellsOf(row))),
    "",
    summaryOf(rehearsal),
    "",
  ].join("\n");
}

/** Escapes Markdown and HTML, so that a text stays in its cell. */
const inCell = (text: string): string => text.replace(/[\\|*_`<>[\]~#&]/g, "\\$&").replace(/\s+/g, " ");

/** Writes the verdicts as JUnit XML, with one test case per treatment. */
export function toJunit({ id, report: { verdicts } }: Pick<WireRehearsal, "id" | "report">): string {
  const count = (...kinds: readonly Verdict["verdict"][]) =>
    verdicts.filter(({ verdict }) => kinds.includes(verdict)).length;
  const totals = `tests="${verdicts.length}" failures="${count("worse", "undecided")}" errors="${count("invalid")}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${totals}>`,
    `  <testsuite name="rehearsal ${id}" ${totals}>`,
    ...verdicts.map(toCase),
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function toCase({ treatment, verdict, detail }: Verdict): string {
  const open = `    <testcase classname="rehearsal" name="${inXml(treatment)} is not worse than control"`;
  if (verdict === "not-worse") return `${open}/>`;
  const element = verdict === "invalid" ? "error" : "failure";
  return `${open}><${element} type="${verdict}" message="${inXml(detail)}"/></testcase>`;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Characters that XML 1.0 forbids even escaped: controls, lone surrogates, U+FFFE and U+FFFF. Includes tabs and line ends. */
const NOT_XML = /[^\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

/** Escapes a text for an attribute. */
function inXml(text: string): string {
  return text.replaceAll(NOT_XML, " ").replace(/[&<>"]/g, (character) => ENTITIES[character] ?? "");
}
