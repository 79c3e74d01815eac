import { operation } from "../operation.ts";
import { TelemetrySummary } from "../schemas/telemetry.ts";

export const getTelemetry = operation({
  operationId: "getTelemetry",
  method: "GET",
  path: "/v1/telemetry",
  plane: "dashboard",
  summary:
    "Reads what became of the model calls that OpenTelemetry reported in the last 24 hours, by instrumentation, and what they lack.",
  auth: { kind: "session", role: "member" },
  answers: { 200: { description: "The instrumentations, and what came last.", schema: TelemetrySummary } },
  problems: [],
});
