import { METRIC_KINDS } from "@assay/domain";
import { Type } from "typebox";
import { MetricResultSchema } from "./results.ts";
import { Id, Instant, Nullable, NullableNumber, OneOf } from "./shared.ts";

/** The forms in which the evidence of a row can be downloaded, and the script that checks it. */
export const EVIDENCE_FORMATS = ["csv", "parquet", "python"] as const;

export const EVIDENCE_MEDIA_TYPES = {
  csv: "text/csv; charset=utf-8",
  parquet: "application/vnd.apache.parquet",
  python: "text/x-python; charset=utf-8",
} as const satisfies Readonly<Record<(typeof EVIDENCE_FORMATS)[number], string>>;

/** The numbers of a row that can be recomputed from its evidence. */
export const CheckedRowSchema = Type.Pick(MetricResultSchema, [
  "metric",
  "metric_version",
  "treatment",
  "control",
  "test",
  "statistic",
  "p_value",
  "p_floor",
  "control_value",
  "treatment_value",
  "effect",
  "ci_low",
  "ci_high",
  "standard_error",
  "cuped",
  "n_per_arm",
  "n_total_per_arm",
  "events_per_arm",
  "permutations_used",
  "sample_cap_used",
  "judge",
]);

/** The header of an evidence file: in CSV the first line after `# `, in Parquet the metadata entry `assay`. */
export const EvidenceHeadSchema = Type.Object({
  format: Type.Literal("assay-evidence-1"),
  experiment_id: Id,
  computed_for: Type.String(),
  revision: Type.Integer(),
  version: Type.Integer(),
  code_version: Type.String(),
  window: Type.Object({ from: Nullable(Instant), to: Instant }),
  kind: OneOf(METRIC_KINDS),
  quantile: NullableNumber("For kind quantile only."),
  window_days: NullableNumber("Days after the first exposure in which events count."),
  pass_score: NullableNumber("For judged binary metrics: the lowest passing score."),
  row: CheckedRowSchema,
  recomputed: Nullable(CheckedRowSchema),
  note: Nullable(Type.String()),
  is_complete: Type.Boolean(),
  sums: Type.Array(
    Type.Object({
      arm: Type.String(),
      stratum: Type.Integer(),
      users: Type.Integer(),
      mean_y: Type.Number(),
      m2_y: Type.Number(),
      mean_d: Type.Number(),
      m2_d: Type.Number(),
      c_y_d: Type.Number(),
    }),
  ),
});
