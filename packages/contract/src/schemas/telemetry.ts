import { Type } from "typebox";

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
    unfinished: Count("Calls that came in pieces, and whose end did not come."),
    without_usage: Count("Calls that report no tokens."),
    streams_without_usage: Count("Of them, streams."),
    advice: Type.Array(Type.String(), { description: "What to do about what is missing, a sentence each." }),
  },
  { $id: "Instrumentation" },
);

export const TelemetrySummary = Type.Object(
  { instrumentations: Type.Array(Instrumentation, { description: "By name." }) },
  { $id: "TelemetrySummary" },
);
