import { DEFAULT_GUARD } from "@assay/domain";
import { Type } from "typebox";
import { Id, Instant, Nullable, NullableNumber, strict } from "./shared.ts";

const harm = (what: string, maximum: number) =>
  Type.Optional(
    Type.Union([Type.Number({ minimum: 0, maximum }), Type.Null()], {
      description: `Largest acceptable rise in ${what}; null: not watched.`,
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
      `the cost of all calls of an equal number of users, relative to control; default ${DEFAULT_GUARD.costPerUser}`,
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
      "Null without events. For split: control's share of both arms' exposures. For cost_per_user: control's cost, scaled to the number of users that the treatment should have by its share.",
    ),
    treatment_value: NullableNumber("Null without events."),
    acceptable: NullableNumber("The largest acceptable harm; null for the split, which has none."),
    is_relative: Type.Boolean({ description: "Whether acceptable is a share of control's value." }),
    events: Type.Number({ description: "Number of events in both arms that the look is based on." }),
    evidence: NullableNumber(
      "Evidence that the harm is larger than acceptable, as a share of the evidence needed to hold the experiment: 1 or more is harm. Null: too few events.",
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
      description: "Start of the events that count: the last change of the split, or the end of a hold.",
    }),
    signals: Type.Array(SignalLook),
    next_stage_at: Nullable(Instant),
    noticeable: Type.Array(
      Type.Object({
        signal: Type.String(),
        value: Type.Number({ description: "The organization's value in the last 14 days." }),
        harm: NullableNumber(
          "The rise in the value that the guard would notice. Null: an hour has too few events.",
        ),
        is_relative: Type.Boolean({ description: "Whether harm is a share of the value." }),
      }),
      {
        description:
          "For a draft with a guard: the harm that the guard would notice within an hour with 80% probability, in the first stage and at the traffic of the last 14 days. Empty without history.",
      },
    ),
  },
  { $id: "GuardView" },
);
