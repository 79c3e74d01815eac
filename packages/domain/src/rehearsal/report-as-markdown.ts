import type { ArmVerdict, RehearsalReport, RehearsalRow, RehearsalVerdict } from "./report.ts";

const VERDICTS: Readonly<Record<RehearsalVerdict, string>> = {
  "not-worse": "not worse",
  worse: "worse",
  undecided: "undecided",
  invalid: "invalid",
};

const HEAD = ["metric", "treatment", "control's", "treatment's", "effect", "95% CI", "corrected p", "inputs"];

/** Writes a report as Markdown, for a comment on a pull request. Names of arms are escaped. */
export function reportAsMarkdown({ verdicts, rows, orderBias }: RehearsalReport): string {
  const lines = [HEAD, HEAD.map(() => "---"), ...rows.map(cellsOf)];
  const table = lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  const bias =
    orderBias &&
    `The judge prefers the answer that it sees first by ${orderBias.estimate.toFixed(2)} (95% CI ${orderBias.low.toFixed(2)} to ${orderBias.high.toFixed(2)}); ${percent(orderBias.inconsistentShare)} of the pairs contradict each other.`;
  const parts = ["## Rehearsal", verdicts.map(describe).join("\n"), table, bias];
  return `${parts.filter((part) => part !== null && part !== "").join("\n\n")}\n`;
}

function describe({ treatment, verdict, isCheaper, detail }: ArmVerdict): string {
  return `- **${escapeMarkdown(treatment)}**: ${VERDICTS[verdict]}${isCheaper ? " and cheaper" : ""}. ${detail}`;
}

function cellsOf(row: RehearsalRow): readonly string[] {
  const { ciLow, ciHigh, adjustedPValue, isSignificant, isCorrected, picks } = row;
  const effect = format(row.effect);
  return [
    `${row.metric}${isCorrected ? ` (corrected by ${picks} blind picks)` : ""}`,
    escapeMarkdown(row.treatment),
    format(row.controlValue),
    format(row.treatmentValue),
    isSignificant ? `**${effect}**` : effect,
    ciLow === null || ciHigh === null ? "–" : `${format(ciLow)} to ${format(ciHigh)}`,
    format(adjustedPValue),
    String(row.inputs),
  ];
}

function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, " ").replaceAll(/[\\`*_{}[\]<>()#+\-.!|~&@:]/g, "\\$&");
}

/** Three significant digits. */
function format(value: number | null): string {
  return value === null ? "–" : String(Number(value.toPrecision(3)));
}

function percent(share: number): string {
  return `${Math.round(100 * share)}%`;
}
