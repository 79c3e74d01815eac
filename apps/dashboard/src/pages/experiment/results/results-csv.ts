import type { MetricResult, Results } from "../../../api/types.ts";
import { toCsv } from "../../../ui/download.ts";

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

type Cell = string | number | boolean | null;

/** Nested values of a row: its margin, its judge, and the uncorrected result. */
const NESTED: Readonly<Record<string, (row: MetricResult) => Cell | undefined>> = {
  margin: ({ non_inferiority: bound }) => bound?.margin,
  worst_loss: ({ non_inferiority: bound }) => bound?.worst_loss,
  is_not_worse: ({ non_inferiority: bound }) => bound?.is_not_worse,
  is_not_worse_seq: ({ non_inferiority: bound }) => bound?.is_not_worse_seq,
  judge_version: ({ judge }) => judge?.version,
  judge_calibrated: ({ judge }) => judge?.calibrated,
  judged_control: ({ judge, control }) => judge?.judged_per_arm[control],
  judged_treatment: ({ judge, treatment }) => judge?.judged_per_arm[treatment],
  labels_control: ({ judge, control }) => judge?.labels_per_arm[control],
  labels_treatment: ({ judge, treatment }) => judge?.labels_per_arm[treatment],
  lambda_control: ({ judge, control }) => judge?.lambda?.[control],
  lambda_treatment: ({ judge, treatment }) => judge?.lambda?.[treatment],
  retest_sd: ({ judge }) => judge?.retest_sd,
  judge_alone_effect: ({ judge }) => judge?.uncalibrated?.effect,
  judge_alone_ci_low: ({ judge }) => judge?.uncalibrated?.ci_low,
  judge_alone_ci_high: ({ judge }) => judge?.uncalibrated?.ci_high,
  judge_alone_p_value: ({ judge }) => judge?.uncalibrated?.p_value,
  users_control: ({ users_per_arm: users, control }) => users?.[control],
  users_treatment: ({ users_per_arm: users, treatment }) => users?.[treatment],
  first_units_effect: ({ carry_over: first }) => first?.effect,
  first_units_ci_low: ({ carry_over: first }) => first?.ci_low,
  first_units_ci_high: ({ carry_over: first }) => first?.ci_high,
  first_units_p_value: ({ carry_over: first }) => first?.p_value,
  earlier_variant_effect: ({ carry_over: first }) => first?.earlier_effect,
  earlier_variant_p_value: ({ carry_over: first }) => first?.earlier_p_value,
};

const PER_ROW = ["run", "n_control", "n_treatment", "events_control", "events_treatment"] as const;

/** Formats a run's rows as CSV with full precision. */
export function resultsCsv(run: Results): string {
  const lines = Object.values(run.results).map((row) => [
    run.computed_for,
    row.n_per_arm[row.control] ?? 0,
    row.n_per_arm[row.treatment] ?? 0,
    row.events_per_arm[row.control] ?? 0,
    row.events_per_arm[row.treatment] ?? 0,
    ...COLUMNS.map((column) => row[column]),
    ...Object.values(NESTED).map((read) => read(row) ?? null),
  ]);
  return toCsv([[...PER_ROW, ...COLUMNS, ...Object.keys(NESTED)], ...lines]);
}
