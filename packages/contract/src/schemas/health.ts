import { CHECK_CODES, CHECK_MEASURES, CHECK_SEVERITIES } from "@assay/domain";
import { Type } from "typebox";
import { HealthEntrySchema } from "./results.ts";
import { Id, Instant, Nullable, NullableNumber, OneOf } from "./shared.ts";

const HealthCheckSchema = Type.Object(
  {
    code: OneOf(CHECK_CODES),
    severity: OneOf(CHECK_SEVERITIES, {
      description: "ok: no fault; info: a fault below the alarm level; no-data: no data yet.",
    }),
    detail: Type.String({ description: "One sentence with the numbers." }),
    action: Nullable(Type.String({ description: "What to do; null: nothing." })),
    measure: OneOf(CHECK_MEASURES, {
      description:
        "Unit of value and threshold. share: the worst arm's share (users-in-several-variants: the share of all users); gap: the difference between an arm's share and control's.",
    }),
    value: NullableNumber("Null without data."),
    threshold: Type.Number({
      description:
        "Alarm level. A share, gap or count at or above it raises the alarm, and so does a p-value below it.",
    }),
    since: Type.Union([Instant, Type.Null()], {
      description:
        "When the first faulty event occurred. Null: there is none, or the check is not about single events.",
    }),
    arms: Type.Record(
      Type.String(),
      Type.Object({
        count: Type.Number({ description: "Events, users or tokens." }),
        of: Type.Number(),
        share: NullableNumber("count / of; null when of is 0."),
      }),
    ),
    metrics: Type.Optional(
      Type.Array(Type.String(), {
        description: "Names of the affected metrics; mixed-sources only.",
      }),
    ),
  },
  { $id: "HealthCheck" },
);

export const ExperimentHealth = Type.Object(
  {
    experiment_id: Id,
    as_of: Instant,
    computed_for: Nullable(Type.String({ description: "The label of the latest run." })),
    checks: Type.Array(HealthCheckSchema, {
      description:
        "The current state of every check, including passed ones, always in the same order. Checks judge-* are present only if a metric is judged.",
    }),
    remarks: Type.Array(HealthEntrySchema, { description: "Remarks of the latest run." }),
  },
  { $id: "ExperimentHealth" },
);
