import { operation } from "../operation.ts";
import { TelemetrySummary } from "../schemas/telemetry.ts";

export const getTelemetry = operation({
  operationId: "getTelemetry",
  method: "GET",
  path: "/v1/telemetry",
  plane: "dashboard",
  summary:
    "Reads, by instrumentation, what happened to the model calls that OpenTelemetry reported in the last 24 hours, and which data they lack.",
  auth: { kind: "session", role: "member" },
  answers: {
    200: { description: "The instrumentations, and the last call and evaluation.", schema: TelemetrySummary },
  },
  problems: [],
});
