import {
  DECISION_OUTCOMES,
  EXPERIMENT_STATES,
  EXPERIMENT_STATUSES,
  EXPERIMENT_UNITS,
  RUN_OUTCOMES,
} from "@assay/domain";
import { Type } from "typebox";
import { DecisionSummarySchema } from "./decision-status.ts";
import { MetricDefinitionBody, Tags } from "./experiment.ts";
import { MetricResultSchema, TradeoffSchema } from "./results.ts";
import { Id, Instant, Nullable, NullableNumber, OneOf, Share, UsersOfUnits } from "./shared.ts";

const PRIMARY_FIELDS = [
  "metric",
  "treatment",
  "desired",
  "effect",
  "ci_low",
  "ci_high",
  "relative_effect",
  "relative_ci_low",
  "relative_ci_high",
  "p_value_fdr",
  "significant",
  "verdict",
] as const;

export const ExperimentOverview = Type.Object(
  {
    id: Id,
    name: Type.String(),
    former_names: Type.Array(Type.String(), {
      description: "Names from before a rename, newest first. Applications can still use them.",
    }),
    status: OneOf(EXPERIMENT_STATUSES),
    version: Type.Integer(),
    is_demo: Type.Boolean({ description: "Whether this is a demo experiment. DELETE /v1/demo removes it." }),
    control: Type.String(),
    unit: OneOf(EXPERIMENT_UNITS, { description: "What `users` counts: users, conversations or runs." }),
    variants: Type.Array(Type.String(), { description: "Keys, as configured." }),
    tags: Tags,
    created_at: Instant,
    updated_at: Instant,
    created_by: Nullable(Type.Object({ id: Id, name: Type.String() })),
    state: OneOf(EXPERIMENT_STATES),
    needs_attention: Type.Boolean({
      description: "Whether action is needed: a problem to look into, or a decision to make.",
    }),
    is_stale: Type.Boolean({
      description:
        "Whether the experiment is running although its last exposure or last analysis is older than two days. A night that found too little data to store counts as an analysis.",
    }),
    shipped_variant: Type.Union([Type.String(), Type.Null()], {
      description: "The variant that everybody gets while the status is shipped.",
    }),
    users: Type.Record(Type.String(), Type.Integer(), {
      description:
        "Exposed users, or units, by variant, test users included; a user exposed to several variants counts in each.",
    }),
    users_of_units: UsersOfUnits,
    exposures: Type.Integer(),
    last_exposure_on: Type.Union([Type.String(), Type.Null()], {
      description: "UTC day of the newest exposure.",
    }),
    primary: Type.Union([Type.Pick(MetricResultSchema, [...PRIMARY_FIELDS]), Type.Null()], {
      description:
        "The row with the smallest p-value among the primary metrics. If no metric is primary, among all metrics except guardrails.",
    }),
    primary_metric: Type.Union([MetricDefinitionBody, Type.Null()], {
      description:
        "The definition of the metric in primary, which determines the unit of its numbers. Null: no metric has that name, or primary is null.",
    }),
    failing_guardrails: Type.Array(Type.Object({ metric: Type.String(), treatment: Type.String() }), {
      description: "Guardrails that got worse, by evidence that holds at any look.",
    }),
    progress: Type.Union(
      [Type.Object({ share: Share, days_to_go: NullableNumber("Null: not known.") }), Type.Null()],
      {
        description:
          "Progress to a decision. share: the part of the planned information that the slowest primary row has; days_to_go: days to the planned end (0 once decided). Null: not known yet.",
      },
    ),
    tradeoffs: Type.Array(TradeoffSchema, { description: "Trade-offs of the latest run." }),
    plan_status: Type.Union([DecisionSummarySchema, Type.Null()], {
      description: "The decision status of the latest run. Null: there is no run yet.",
    }),
    worst_remark: Nullable(OneOf(["info", "warning", "critical"])),
    last_run: Type.Union(
      [
        Type.Object({
          computed_for: Type.String(),
          revision: Type.Integer({ minimum: 1 }),
          computed_at: Instant,
          preliminary: Type.Boolean(),
          srm_status: OneOf(["passed", "halted"]),
        }),
        Type.Null(),
      ],
      { description: "The run that GET /v1/experiments/{id}/results returns without `day`." },
    ),
    last_night: Nullable(
      Type.Object({
        day: Type.String(),
        outcome: OneOf([...RUN_OUTCOMES, "running"]),
        finished_at: Nullable(Instant),
        detail: Nullable(Type.String()),
      }),
    ),
    decision: Nullable(Type.Object({ outcome: OneOf(DECISION_OUTCOMES), variant: Nullable(Type.String()) })),
  },
  { $id: "ExperimentOverview" },
);

export const Overview = Type.Object({ items: Type.Array(ExperimentOverview) }, { $id: "Overview" });

export const MetricEntry = Type.Object(
  {
    definition: MetricDefinitionBody,
    used_by: Type.Array(
      Type.Object({
        id: Id,
        name: Type.String(),
        status: OneOf(EXPERIMENT_STATUSES),
        unit: OneOf(EXPERIMENT_UNITS),
        metric_version: Type.Integer(),
        follows: Type.Boolean({
          description:
            "Whether the experiment uses this shared definition. PUT /v1/metrics/{name} updates it while it is a draft or running.",
        }),
      }),
      { description: "Experiments with a metric of this name, newest first." },
    ),
  },
  { $id: "MetricEntry" },
);

export const MetricCatalogue = Type.Object(
  {
    items: Type.Array(MetricEntry, {
      description:
        "One entry per metric name, sorted by name: the shared definition if there is one, otherwise the definition with the highest metric_version (of several, the one changed last).",
    }),
  },
  { $id: "MetricCatalogue" },
);
