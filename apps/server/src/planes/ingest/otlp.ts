import { ingest, type Operation } from "@assay/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Deps } from "../../deps.ts";
import { MAX_BODY_BYTES, readRawBodies } from "../../http/raw-request.ts";
import { receiveTraces } from "../../otlp/accept-traces.ts";
import { createDecoder, type Decoder } from "../../otlp/decode-thread.ts";
import {
  jsonAnswer,
  type PartialSuccess,
  protobufAnswer,
  protobufStatus,
  rpcStatus,
  type Signal,
} from "../../otlp/encode-answer.ts";
import { isJson, OTLP_BODY } from "../../otlp/read-request.ts";
import { countFacts } from "../../otlp/traces.ts";
import { admit, holderOf, readChargedBody, senderOf, takeRows } from "./admit.ts";

const PROTOBUF = "application/x-protobuf";
const JSON_TYPE = "application/json";

/** Receives OpenTelemetry from exporters: OTLP over HTTP. What is acknowledged is on disk. */
export function registerOtlp(plane: FastifyInstance, deps: Deps): void {
  readRawBodies(plane);
  const decoder = createDecoder();
  plane.addHook("onClose", () => decoder.close());
  plane.addHook("onSend", async (request, reply, payload) =>
    reply.statusCode < 400 ? payload : sendStatus(request, reply, payload),
  );
  const post = (
    operation: Operation,
    handle: (request: FastifyRequest) => Promise<PartialSuccess>,
    signal: Signal,
  ) =>
    plane.post(operation.path, { onRequest: admit(operation, "events", deps) }, async (request, reply) => {
      const partial = await handle(request);
      const answer = isJson(request) ? Buffer.from(jsonAnswer(signal, partial)) : protobufAnswer(partial);
      return reply.header("content-type", isJson(request) ? JSON_TYPE : PROTOBUF).send(answer);
    });
  for (const operation of [ingest.postOtlpTraces, ingest.postLangfuseTraces])
    post(operation, (request) => receive(request, "traces", { ...deps, decoder }), "traces");
  post(ingest.postOtlpLogs, (request) => receive(request, "logs", { ...deps, decoder }), "logs");
  post(ingest.postOtlpMetrics, (request) => passOver(request, deps), "metrics");
}

async function receive(
  request: FastifyRequest,
  signal: "traces" | "logs",
  { decoder, ...deps }: Deps & { readonly decoder: Decoder },
): Promise<PartialSuccess> {
  const body = await readChargedBody(request, deps, MAX_BODY_BYTES, OTLP_BODY);
  const encoding = isJson(request) ? "json" : "protobuf";
  const { traces, malformed } = await decoder.decode(body, signal, encoding);
  takeRows(holderOf(request), countFacts(traces), deps);
  const { accepted, refused, reason, exhausted } = await receiveTraces(
    senderOf(request, "otlp"),
    traces,
    deps,
  );
  if (accepted === 0 && exhausted !== null) throw exhausted;
  const remark = `Without a valid trace id or span id: ${malformed}.`;
  return {
    rejected: refused + malformed,
    message: reason === "" && malformed > 0 ? remark : reason,
  };
}

async function passOver(request: FastifyRequest, deps: Deps): Promise<PartialSuccess> {
  await readChargedBody(request, deps, MAX_BODY_BYTES, OTLP_BODY);
  return { rejected: 0, message: "Assay does not store metrics, so it stored nothing from this request." };
}

/** OTLP returns errors in the encoding of the request. Headers that say when to retry are kept. */
function sendStatus(request: FastifyRequest, reply: FastifyReply, payload: unknown): Buffer {
  const { detail, message } = JSON.parse(String(payload)) as Readonly<Record<string, string | undefined>>;
  const status = rpcStatus(reply.statusCode, detail ?? message ?? "");
  const encoded = isJson(request) ? Buffer.from(JSON.stringify(status)) : protobufStatus(status);
  reply.removeHeader("content-length");
  reply.header("content-type", isJson(request) ? JSON_TYPE : PROTOBUF);
  return encoded;
}
