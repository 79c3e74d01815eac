import type { MetricResult, Results } from "../../../api/types.ts";

const COLUMNS = [
  "metric",
  "metric_version",
  "treatment",
  "control",
  "role",
  "desired",
  "verdict",
  "significant",
  "test",
  "statistic",
  "control_value",
  "treatment_value",
  "effect",
  "ci_low",
  "ci_high",
  "relative_effect",
  "relative_ci_low",
  "relative_ci_high",
  "ci_seq_low",
  "ci_seq_high",
  "ci_selected_low",
  "ci_selected_high",
  "standard_error",
  "p_value",
  "p_value_fdr",
  "p_value_seq",
  "p_value_seq_fdr",
  "p_floor",
  "mde",
  "periods",
  "permutations_used",
  "sample_cap_used",
  "window_days",
] as const satisfies readonly (keyof MetricResult)[];

const PER_ROW = ["run", "n_control", "n_treatment", "events_control", "events_treatment"] as const;

/** Writes a run's rows as CSV (RFC 4180) with full precision. A text that a spreadsheet would run as a formula gets an apostrophe. */
export function resultsCsv(run: Results): string {
  const lines = Object.values(run.results).map((row) => [
    run.computed_for,
    row.n_per_arm[row.control] ?? 0,
    row.n_per_arm[row.treatment] ?? 0,
    row.events_per_arm[row.control] ?? 0,
    row.events_per_arm[row.treatment] ?? 0,
    ...COLUMNS.map((column) => row[column]),
  ]);
  return [[...PER_ROW, ...COLUMNS], ...lines].map((cells) => `${cells.map(csvCell).join(",")}\r\n`).join("");
}

/** Writes one cell: numbers as they are, null as nothing, texts quoted. */
export function csvCell(value: string | number | boolean | null): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  const harmless = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return `"${harmless.replaceAll('"', '""')}"`;
}
