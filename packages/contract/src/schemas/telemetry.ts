import { UNJOINED } from "@assay/domain";
import { Type } from "typebox";
import { Instant, Nullable, NullableNumber, OneOf } from "./shared.ts";

const Count = (description: string) => Type.Integer({ description });

const Instrumentation = Type.Object(
  {
    scope: Type.String({ description: "Name and version of the instrumentation." }),
    calls: Count("Model calls, without calls that contain other calls."),
    streams: Count("Model calls that are streams."),
    waiting: Count(
      "Calls whose trace may still grow. They are joined once the trace has been quiet for 30 seconds.",
    ),
    events: Count("Calls that became events."),
    without_experiment: Count("Calls in traces in which no experiment's flag was evaluated."),
    without_user: Count("Calls in traces that name no user."),
    with_several_users: Count(
      "Calls in traces that name several users, none of them closer to the call than the others.",
    ),
    without_unit: Count(
      "Calls of an experiment on conversations, in traces that name no conversation or several.",
    ),
    unfinished: Count("Calls that arrived in pieces and whose end has not arrived."),
    refused: Count(
      "Calls that were refused as events, for example because the experiment does not have their variant.",
    ),
    without_usage: Count("Calls that report no tokens."),
    streams_without_usage: Count("Streams that report no tokens."),
    advice: Type.Array(Type.String(), { description: "What to do about missing data, one sentence each." }),
  },
  { $id: "Instrumentation" },
);

const LastCall = Type.Object(
  {
    scope: Type.String({ description: "Name and version of the instrumentation." }),
    dialect: Nullable(Type.String()),
    model: Nullable(Type.String()),
    sampling_probability: NullableNumber(
      "Probability that the trace was kept, from `tracestate`. Null: `tracestate` does not say.",
    ),
    unread_attributes: Count("Attributes that no dialect reads. They are kept in the call's metadata."),
    started_at: Instant,
    trace_id: Type.String(),
    outcome: OneOf(["waiting", "event", ...UNJOINED], {
      description:
        "event: the call became an event. waiting: its trace may still grow. Other values: why the call is not an event yet.",
    }),
  },
  { $id: "LastCall" },
);

const LastEvaluation = Type.Object(
  {
    flag: Type.String(),
    variant: Type.String(),
    user_id: Type.Union([Type.String(), Type.Null()], { description: "Null: the evaluation names no user." }),
    evaluated_at: Instant,
    trace_id: Type.String({ description: "All zeros: the evaluation is in no trace." }),
    is_logged: Type.Boolean({ description: "Whether a log record, and no span, reported the evaluation." }),
  },
  { $id: "LastEvaluation" },
);

export const TelemetrySummary = Type.Object(
  {
    instrumentations: Type.Array(Instrumentation, { description: "Sorted by name." }),
    last_call: Type.Union([LastCall, Type.Null()], {
      description: "A model call in the newest traces. Null: none arrived in the last 24 hours.",
    }),
    last_evaluation: Type.Union([LastEvaluation, Type.Null()], {
      description:
        "An evaluation of an experiment's flag in the newest traces. Null: none arrived in the last 24 hours.",
    }),
  },
  { $id: "TelemetrySummary" },
);
