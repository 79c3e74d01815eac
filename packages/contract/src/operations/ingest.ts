import { operation } from "../operation.ts";
import { IMPORT_MEDIA_TYPES, ImportBody, ImportQuery, ImportResult } from "../schemas/import.ts";
import {
  AssignRequest,
  AssignResponse,
  ClientConfig,
  ConfigQuery,
  EventBatch,
  IngestAck,
} from "../schemas/ingest.ts";
import { OTLP_MEDIA_TYPES, OtlpRequest } from "../schemas/otlp.ts";

const anyKey = { kind: "key", scopes: ["publishable", "secret"] } as const;

export const postAssign = operation({
  operationId: "assign",
  method: "POST",
  path: "/v1/assign",
  plane: "ingest",
  summary:
    "Returns a user's variant. The same user always gets the same variant. Null: the user is not in the experiment, or another system's flag assigns its variants.",
  auth: anyKey,
  body: AssignRequest,
  answers: { 200: { description: "The variant.", schema: AssignResponse } },
  problems: ["experiment-not-found", "rate-limited"],
});

export const postEvents = operation({
  operationId: "ingestEvents",
  method: "POST",
  path: "/v1/events",
  plane: "ingest",
  summary:
    "Accepts a batch of 1 to 1,000 events, at most 5 MiB, optionally gzipped. Acknowledged events are on disk.",
  auth: anyKey,
  body: EventBatch,
  answers: {
    202: {
      description: "How many rows were accepted, and why the other rows were rejected.",
      schema: IngestAck,
    },
  },
  problems: ["queue-full", "rate-limited", "allowance-exhausted"],
});

export const getConfig = operation({
  operationId: "getConfig",
  method: "GET",
  path: "/v1/config",
  plane: "ingest",
  summary: "Reads the bucket maps and variants that client libraries use to assign users.",
  auth: anyKey,
  query: ConfigQuery,
  headers: { "If-None-Match": "The ETag of the last response. If nothing has changed, the answer is 304." },
  answers: {
    200: {
      description:
        "The config, with a strong ETag. The publishable key receives no prompts or variables for experiments with visibility server.",
      headers: ["ETag"],
      schema: ClientConfig,
    },
    304: { description: "Unchanged.", headers: ["ETag"] },
  },
  problems: ["rate-limited"],
});
export const postImport = operation({
  operationId: "importEvents",
  method: "POST",
  path: "/v1/events/import",
  plane: "ingest",
  summary:
    "Imports events from CSV, JSON or NDJSON, at most 100 MiB, optionally gzipped. Rows are independent: a malformed one is reported and skipped.",
  auth: { kind: "key", scopes: ["secret"] },
  query: ImportQuery,
  body: ImportBody,
  mediaTypes: Object.values(IMPORT_MEDIA_TYPES),
  answers: {
    200: {
      description: "How many rows were accepted, and why the other rows were rejected.",
      schema: ImportResult,
    },
  },
  problems: ["rate-limited", "allowance-exhausted", "queue-full"],
});

const OTLP_LIMITS = "At most 5 MiB, plain or gzipped, and 100,000 values.";

export const postOtlpTraces = otlp({
  operationId: "ingestTraces",
  path: "/v1/otlp/v1/traces",
  summary: `Accepts spans over OTLP/HTTP. Acknowledged spans are on disk. ${OTLP_LIMITS}`,
  answer:
    "ExportTraceServiceResponse in the encoding of the request. `partial_success` says how many events were refused, and gives the first reason.",
});

export const postOtlpLogs = otlp({
  operationId: "ingestLogs",
  path: "/v1/otlp/v1/logs",
  summary: `Accepts log records over OTLP/HTTP. Acknowledged records are on disk. ${OTLP_LIMITS}`,
  answer:
    "ExportLogsServiceResponse in the encoding of the request. `partial_success` says how many events were refused, and gives the first reason.",
});

export const postOtlpMetrics = otlp({
  operationId: "ingestOtlpMetrics",
  path: "/v1/otlp/v1/metrics",
  summary: "Accepts OTLP metrics without storing them, for exporters that send every signal to one address.",
  answer:
    "ExportMetricsServiceResponse in the encoding of the request; its `partial_success` says that nothing is stored.",
});

export const postLangfuseTraces = otlp({
  operationId: "ingestLangfuseTraces",
  path: "/api/public/otel/v1/traces",
  summary: `Accepts spans at the path that Langfuse's exporters use. Works like \`/v1/otlp/v1/traces\`. ${OTLP_LIMITS}`,
  answer: "The same as for `/v1/otlp/v1/traces`.",
  takesBasic: true,
});

function otlp({
  answer,
  takesBasic,
  ...named
}: {
  readonly operationId: string;
  readonly path: string;
  readonly summary: string;
  readonly answer: string;
  readonly takesBasic?: true;
}) {
  return operation({
    ...named,
    method: "POST",
    plane: "ingest",
    auth: { kind: "key", scopes: ["secret"], ...(takesBasic && { takesBasic }) },
    body: OtlpRequest,
    mediaTypes: OTLP_MEDIA_TYPES,
    hasRpcErrors: true,
    answers: { 200: { description: answer, files: OTLP_MEDIA_TYPES } },
    problems: ["queue-full", "rate-limited", "allowance-exhausted", "body-timeout"],
  });
}
