import { METRIC_ROLES } from "@assay/domain";
import { Type } from "typebox";
import { Counts, Id, Instant, Nullable, OneOf, Shares } from "./shared.ts";

export const Distribution = Type.Object(
  { bin_edges: Type.Array(Type.Number()), counts: Type.Array(Type.Integer()) },
  { $id: "Distribution" },
);

export const MetricResultSchema = Type.Object(
  {
    metric: Type.String(),
    metric_version: Type.Integer(),
    treatment: Type.String(),
    control: Type.String(),
    role: OneOf(METRIC_ROLES),
    desired: OneOf(["increase", "decrease"]),
    test: Type.String({ description: "The test that ran." }),
    statistic: Nullable(Type.Number()),
    p_value: Type.Number({ description: "Raw; never decides." }),
    p_value_fdr: Type.Number({
      description: "Benjamini-Hochberg over every row of the run; decides at < 0.05.",
    }),
    significant: Type.Boolean(),
    verdict: OneOf(["better", "worse", "inconclusive"]),
    control_value: Type.Number(),
    treatment_value: Type.Number(),
    effect: Type.Number({ description: "Treatment minus control, in the metric's unit." }),
    ci_low: Nullable(Type.Number()),
    ci_high: Nullable(Type.Number()),
    relative_effect: Nullable(Type.Number()),
    relative_ci_low: Nullable(Type.Number()),
    relative_ci_high: Nullable(Type.Number()),
    ci_seq_low: Nullable(Type.Number()),
    ci_seq_high: Nullable(Type.Number()),
    p_value_seq: Nullable(Type.Number()),
    mde: Nullable(Type.Number()),
    n_per_arm: Counts,
    events_per_arm: Counts,
    srm_p: Type.Number(),
    permutations_used: Type.Integer(),
    sample_cap_used: Type.Integer(),
    window_days: Type.Number(),
    retention_truncated: Type.Boolean(),
    preliminary: Type.Boolean(),
    distribution: Type.Record(Type.String(), Distribution),
  },
  { $id: "MetricResult" },
);

export const HealthEntrySchema = Type.Object(
  { code: Type.String(), severity: OneOf(["info", "warning", "critical"]), detail: Type.String() },
  { $id: "HealthEntry" },
);

export const ResultsSchema = Type.Object(
  {
    experiment_id: Id,
    version: Type.Integer(),
    computed_for: Type.String({ description: "A UTC day, or manual-<ISO instant>." }),
    available_days: Type.Array(Type.String()),
    preliminary: Type.Boolean(),
    computed_at: Instant,
    window: Type.Object({ from: Nullable(Instant), to: Instant }),
    srm: Type.Object({
      status: OneOf(["passed", "halted"]),
      p_value: Type.Number(),
      threshold: Type.Number(),
      observed: Counts,
      expected: Shares,
    }),
    results: Type.Record(Type.String(), MetricResultSchema, {
      description: 'Keyed "<metric>::<treatment>"; empty when the SRM gate halted.',
    }),
    health: Type.Array(HealthEntrySchema),
  },
  { $id: "Results" },
);

export const LiveStats = Type.Object(
  {
    experiment_id: Id,
    as_of: Instant,
    exposures: Counts,
    users: Counts,
    distributions: Type.Record(Type.String(), Type.Record(Type.String(), Distribution), {
      description: "By metric, then by arm.",
    }),
    note: Type.String(),
  },
  { $id: "LiveStats" },
);

export const TrafficSeries = Type.Object(
  {
    experiment_id: Id,
    days: Type.Array(Type.Object({ day: Type.String(), exposures: Counts, users: Counts })),
  },
  { $id: "TrafficSeries" },
);

export const ExperimentHealth = Type.Object(
  { experiment_id: Id, computed_for: Nullable(Type.String()), checks: Type.Array(HealthEntrySchema) },
  { $id: "ExperimentHealth" },
);
