import { CHECK_CODES, CHECK_MEASURES, CHECK_SEVERITIES } from "@assay/domain";
import { Type } from "typebox";
import { HealthEntrySchema } from "./results.ts";
import { Id, Instant, Nullable, NullableNumber, OneOf } from "./shared.ts";

const HealthCheckSchema = Type.Object(
  {
    code: OneOf(CHECK_CODES),
    severity: OneOf(CHECK_SEVERITIES, {
      description: "ok: fine; info: found, but below the alarm; no-data: no data yet.",
    }),
    detail: Type.String({ description: "One sentence with the numbers." }),
    action: Nullable(Type.String({ description: "What to do; null: nothing." })),
    measure: OneOf(CHECK_MEASURES, {
      description:
        "Unit of value and threshold. share: of the worst arm (users-in-several-variants: of all users); gap: the difference of an arm's share from control's.",
    }),
    value: NullableNumber("Null without data."),
    threshold: Type.Number({
      description: "Alarm level: reached by a share, gap or count at or above it, or a p-value below it.",
    }),
    since: Type.Union([Instant, Type.Null()], {
      description:
        "When the first event with the fault occurred; null: no such event, or the check is not about single events.",
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
        description: "Names of the metrics with the fault; of mixed-sources only.",
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
        "Every check as of now, passed ones too, always in the same order; judge-* only where a metric is judged.",
    }),
    remarks: Type.Array(HealthEntrySchema, { description: "Remarks of the latest run." }),
  },
  { $id: "ExperimentHealth" },
);
