import { RUN_OUTCOMES } from "@assay/domain";
import { Type } from "typebox";
import { MetricResultSchema, WithheldBy } from "./results.ts";
import { DayText, Id, Instant, Nullable, NullableNumber, OneOf, strict } from "./shared.ts";

const NightlyRun = Type.Object(
  {
    day: Type.String({ description: "UTC day." }),
    outcome: OneOf([...RUN_OUTCOMES, "running"]),
    started_at: Instant,
    finished_at: Nullable(Instant),
    detail: Type.Union([Type.String(), Type.Null()], { description: "Details of the outcome, if any." }),
  },
  { $id: "NightlyRun" },
);

export const RunRequest = Type.Object(
  {
    day: DayText("The UTC day of the night. The day must be over."),
  },
  { ...strict, $id: "RunRequest" },
);

export const NightlyRuns = Type.Object(
  {
    experiment_id: Id,
    next_run_at: Type.Union([Instant, Type.Null()], {
      description:
        "Null: the experiment is a draft, the demo, or was stopped too long ago to be analyzed again.",
    }),
    runs: Type.Array(NightlyRun, { description: "Newest first, at most 60." }),
  },
  { $id: "NightlyRuns" },
);

/** The fields of a row that the nightly history returns. */
export const HISTORY_FIELDS = [
  "metric",
  "metric_version",
  "treatment",
  "control_value",
  "treatment_value",
  "effect",
  "ci_low",
  "ci_high",
  "ci_seq_low",
  "ci_seq_high",
  "relative_effect",
  "relative_ci_low",
  "relative_ci_high",
  "p_value_fdr",
  "p_value_seq",
  "significant",
  "verdict",
  "n_per_arm",
] as const;

export const ResultsHistory = Type.Object(
  {
    experiment_id: Id,
    runs: Type.Array(
      Type.Object({
        computed_for: Type.String({ description: "UTC day." }),
        revision: Type.Integer({ minimum: 1 }),
        computed_at: Instant,
        version: Type.Integer(),
        srm: Type.Object({
          status: OneOf(["passed", "halted"]),
          p_value: Type.Number(),
          p_value_seq: NullableNumber("Always-valid p-value. Null for runs from before it was stored."),
          threshold: Type.Number(),
        }),
        withheld_by: WithheldBy,
        results: Type.Record(Type.String(), Type.Pick(MetricResultSchema, [...HISTORY_FIELDS]), {
          description: 'Keyed "<metric>::<treatment>"; without the distributions.',
        }),
      }),
      {
        description:
          "Nightly runs, oldest first, at most the last 120. If a day has several runs, only the newest revision of the latest run.",
      },
    ),
  },
  { $id: "ResultsHistory" },
);
