import type { Measure } from "../harness/cell.ts";
import type { Limits, Verdict } from "../harness/verdict.ts";

/** Writes a figure with its limits, and a warning when it is outside. */
export function formatVerdict({ measure, tally, limits, isInside }: Verdict): string {
  if (tally.count === 0) return isInside ? "–" : "none **out**";
  const figure = formatValue(measure.format, tally.mean);
  if (limits === null) return figure;
  return `${figure} (${formatLimits(measure.format, limits)})${isInside ? "" : " **out**"}`;
}

function formatLimits(format: Measure["format"], { low, high }: Limits): string {
  const text = (value: number) => formatValue(format, value).replace(" %", "");
  if (low === null) return `≤ ${text(high ?? Number.NaN)}`;
  return high === null ? `≥ ${text(low)}` : `${text(low)}–${text(high)}`;
}

function formatValue(format: Measure["format"], value: number): string {
  if (format === "number") return value.toPrecision(4);
  const percent = 100 * value;
  return `${percent.toFixed(percent < 1 ? 3 : 2)} %`;
}

/** Writes a Markdown table. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
