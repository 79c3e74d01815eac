import { UNJOINED } from "@assay/domain";
import { Type } from "typebox";
import { Instant, Nullable, NullableNumber, OneOf } from "./shared.ts";

const Count = (description: string) => Type.Integer({ description });

const Instrumentation = Type.Object(
  {
    scope: Type.String({ description: "Name and version of the instrumentation." }),
    calls: Count("Model calls, without those around other calls."),
    streams: Count("Of the calls, streams."),
    waiting: Count("Calls whose trace may still grow: they are joined once it was quiet for 30 seconds."),
    events: Count("Calls that are events."),
    without_experiment: Count("Calls of traces in which no experiment's flag was evaluated."),
    without_user: Count("Calls of traces that name no user."),
    with_several_users: Count("Calls of traces that name several users, none of them nearer to the call."),
    without_unit: Count(
      "Calls of traces that name no conversation, or several, of an experiment on conversations.",
    ),
    unfinished: Count("Calls that came in pieces, and whose end did not come."),
    refused: Count(
      "Calls that were refused as events, such as those of a variant that the experiment does not have.",
    ),
    without_usage: Count("Calls that report no tokens."),
    streams_without_usage: Count("Of them, streams."),
    advice: Type.Array(Type.String(), { description: "What to do about what is missing, a sentence each." }),
  },
  { $id: "Instrumentation" },
);

const LastCall = Type.Object(
  {
    scope: Type.String({ description: "Name and version of the instrumentation." }),
    dialect: Nullable(Type.String()),
    model: Nullable(Type.String()),
    sampling_probability: NullableNumber(
      "The probability with which its trace was kept, by `tracestate`. Null: it does not say.",
    ),
    unread_attributes: Count("Attributes that no dialect reads. They are kept in the call's metadata."),
    started_at: Instant,
    trace_id: Type.String(),
    outcome: OneOf(["waiting", "event", ...UNJOINED], {
      description:
        "event: it counts. waiting: its trace may still grow. Otherwise the reason why it is no event yet.",
    }),
  },
  { $id: "LastCall" },
);

const LastEvaluation = Type.Object(
  {
    flag: Type.String(),
    variant: Type.String(),
    user_id: Type.Union([Type.String(), Type.Null()], { description: "Null: it names no user." }),
    evaluated_at: Instant,
    trace_id: Type.String({ description: "Only zeros outside of all traces." }),
    is_logged: Type.Boolean({ description: "Whether a log record reported it, and no span." }),
  },
  { $id: "LastEvaluation" },
);

export const TelemetrySummary = Type.Object(
  {
    instrumentations: Type.Array(Instrumentation, { description: "By name." }),
    last_call: Type.Union([LastCall, Type.Null()], {
      description: "A model call of the newest traces. Null: none came in the last 24 hours.",
    }),
    last_evaluation: Type.Union([LastEvaluation, Type.Null()], {
      description:
        "An evaluation of an experiment's flag in the newest traces. Null: none came in the last 24 hours.",
    }),
  },
  { $id: "TelemetrySummary" },
);
