import { DEFAULT_GUARD } from "@assay/domain";
import { Type } from "typebox";
import { Id, Instant, Nullable, NullableNumber, strict } from "./shared.ts";

const harm = (what: string, maximum: number) =>
  Type.Optional(
    Type.Union([Type.Number({ minimum: 0, maximum }), Type.Null()], {
      description: `Largest acceptable rise of ${what}; null: not watched.`,
    }),
  );

export const GuardBody = Type.Object(
  {
    error_rate: harm(`the share of failed calls; default ${DEFAULT_GUARD.errorRate}`, 1),
    latency: harm(`the mean latency, relative to control; default ${DEFAULT_GUARD.latency}`, 100),
    cost_per_call: harm(
      `the mean cost of a call, relative to control; default ${DEFAULT_GUARD.costPerCall}`,
      100,
    ),
    cost_per_user: harm(
      `the cost of all calls of as many users, relative to control; default ${DEFAULT_GUARD.costPerUser}`,
      100,
    ),
    missing_usage: harm(`the share of calls without tokens; default ${DEFAULT_GUARD.missingUsage}`, 1),
    truncation: harm(`the share of answers that ran out of tokens; default ${DEFAULT_GUARD.truncation}`, 1),
  },
  { ...strict, $id: "Guard" },
);

const SignalLook = Type.Object(
  {
    signal: Type.String({
      description:
        "error_rate, latency, cost_per_call, cost_per_user, missing_usage, truncation, split, or the name of a guardrail metric.",
    }),
    treatment: Type.String(),
    control_value: NullableNumber(
      "Null without events. For the split: control's share of the exposures of both. For cost_per_user: control's cost for as many users as the treatment has by its share.",
    ),
    treatment_value: NullableNumber("Null without events."),
    acceptable: NullableNumber("The largest acceptable harm; null for the split, which has none."),
    is_relative: Type.Boolean({ description: "Whether acceptable is a share of control's value." }),
    events: Type.Number({ description: "Events of both arms that it rests on." }),
    evidence: NullableNumber(
      "Evidence of more harm than is acceptable, as a share of what holds the experiment: 1 or more is harm. Null: too few events.",
    ),
  },
  { $id: "SignalLook" },
);

export const GuardView = Type.Object(
  {
    experiment_id: Id,
    looked_at: Type.Union([Instant, Type.Null()], {
      description: "When the guard last looked; null: not yet, or there is no guard.",
    }),
    from: Type.Union([Instant, Type.Null()], {
      description:
        "Events that occurred earlier do not count: the last change of the split, or the end of a hold.",
    }),
    signals: Type.Array(SignalLook),
    next_stage_at: Nullable(Instant),
    noticeable: Type.Array(
      Type.Object({
        signal: Type.String(),
        value: Type.Number({ description: "The organization's value in the last 14 days." }),
        harm: NullableNumber("A rise of the value. Null: an hour has too few events."),
        is_relative: Type.Boolean({ description: "Whether harm is a share of the value." }),
      }),
      {
        description:
          "Of a draft with a guard: the harm that it would notice within an hour with a chance of 80%, at the traffic of the last 14 days and in the first stage. Empty without history.",
      },
    ),
  },
  { $id: "GuardView" },
);
