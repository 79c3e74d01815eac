import type { FastifyRequest } from "fastify";
import type { BodyForm } from "../http/raw-request.ts";
import { unreadable } from "../http/validate.ts";
import { decodeJsonLogs, decodeJsonTraces } from "./decode-json.ts";
import { decodeLogs, decodeTraces } from "./decode-protobuf.ts";
import { ExcessError, type OtlpBatch } from "./otlp-batch.ts";

const JSON_TYPE = /^application\/json\b/i;
const PROTOBUF_TYPE = /^application\/x-protobuf\b/i;

/** OTLP is protobuf or JSON. In protobuf, a message without fields is empty. */
export const OTLP_BODY: BodyForm = {
  isTaken: (type) => JSON_TYPE.test(type) || PROTOBUF_TYPE.test(type),
  said: "application/x-protobuf or application/json",
  mayBeEmpty: true,
};

/** Whether a request, and so its answer, is JSON. Anything but protobuf gets an answer that a person can read. */
export function isJson({ headers }: FastifyRequest): boolean {
  return !PROTOBUF_TYPE.test(headers["content-type"] ?? "");
}

const DECODERS = {
  traces: { json: decodeJsonTraces, protobuf: decodeTraces },
  logs: { json: decodeJsonLogs, protobuf: decodeLogs },
} as const;

/** Decodes a body. Throws `invalid-body`. */
export function decodeBody(
  body: Buffer,
  signal: "traces" | "logs",
  encoding: "json" | "protobuf",
): OtlpBatch {
  try {
    return DECODERS[signal][encoding](body);
  } catch (error) {
    if (error instanceof ExcessError) throw unreadable(error.message);
    // The parser's message may quote the body, so it goes to the sender only.
    throw unreadable(`The body is not a valid OTLP ${signal} request: ${(error as Error).message}`);
  }
}
