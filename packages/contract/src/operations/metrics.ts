import { Type } from "typebox";
import { operation } from "../operation.ts";
import { MetricDefinitionBody } from "../schemas/experiment.ts";
import { MetricCatalogue, MetricEntry } from "../schemas/overview.ts";

const member = { kind: "session", role: "member" } as const;
const byName = Type.Object({ name: MetricDefinitionBody.properties.name });

export const listMetrics = operation({
  operationId: "listMetrics",
  method: "GET",
  path: "/v1/metrics",
  plane: "dashboard",
  summary:
    "Lists the metrics in the org's experiments, including shared metrics, with the experiments that use each.",
  auth: member,
  answers: { 200: { description: "The catalog.", schema: MetricCatalogue } },
  problems: [],
});

export const getMetric = operation({
  operationId: "getMetric",
  method: "GET",
  path: "/v1/metrics/{name}",
  plane: "dashboard",
  summary: "Reads a shared metric and the experiments that use it.",
  auth: member,
  params: byName,
  answers: { 200: { description: "The shared metric.", schema: MetricEntry } },
  problems: ["metric-not-found"],
});

export const putMetric = operation({
  operationId: "putMetric",
  method: "PUT",
  path: "/v1/metrics/{name}",
  plane: "dashboard",
  summary:
    "Changes a shared metric, and creates a version of every draft and running experiment that uses it. Each experiment keeps its own role, target effect and method override.",
  auth: member,
  params: byName,
  body: MetricDefinitionBody,
  answers: { 200: { description: "The metric as it is now.", schema: MetricEntry } },
  problems: ["metric-not-found"],
});
