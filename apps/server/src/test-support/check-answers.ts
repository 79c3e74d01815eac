import { subscribe } from "node:diagnostics_channel";
import { gunzipSync } from "node:zlib";
import { type Operation, operations, problemType } from "@assay/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { TSchema } from "typebox";
import { fastifyPath } from "../http/define-route.ts";
import { compileCheck } from "../http/validate.ts";

type Check = ReturnType<typeof compileCheck>;

const checks = new Map<string, Check>();
const byRoute = new Map(
  operations.map((operation) => [`${operation.method} ${fastifyPath(operation)}`, operation]),
);

/** Faults of answers since they were last taken. */
const faults: string[] = [];

/** Returns what was wrong with the answers of this process since the last call. */
export function takeAnswerFaults(): readonly string[] {
  return faults.splice(0);
}

subscribe("fastify.initialization", (message) => {
  const { fastify } = message as { readonly fastify: FastifyInstance };
  fastify.addHook("onSend", (request, reply, payload, done) => {
    const operation = byRoute.get(`${request.method} ${request.routeOptions.url}`);
    const fault = operation === undefined ? null : answerFault(operation, reply, payload);
    if (operation === undefined || fault === null) return done(null, payload);
    done(null, refuse(`${operation.operationId}, ${reply.statusCode}: ${fault}`, request, reply));
  });
});

/** What a handler answered wrongly reaches nobody: the test, in this process or another, gets a 500 that says why. */
function refuse(detail: string, { id }: FastifyRequest, reply: FastifyReply): string {
  faults.push(detail);
  reply.code(500).type("application/problem+json; charset=utf-8").removeHeader("content-encoding");
  const type = problemType("internal");
  return JSON.stringify({ type, title: "An answer breaks the contract", status: 500, detail, instance: id });
}

function answerFault(operation: Operation, reply: FastifyReply, payload: unknown): string | null {
  const { answers, operationId } = operation;
  const status = reply.statusCode;
  if (status >= 400) return null;
  const answer = answers[status];
  if (answer === undefined) return "the status is not declared.";
  const text = textOf(payload, reply);
  if (answer.schema === undefined) return text === "" ? null : "the body must be empty.";
  const key = `${operationId} ${status}`;
  const check = checks.get(key) ?? compileCheck(strictly(answer.schema));
  checks.set(key, check);
  const [fault] = check(JSON.parse(text));
  return fault ? `${fault.pointer} ${fault.detail}` : null;
}

function textOf(payload: unknown, reply: FastifyReply): string {
  if (payload === undefined || payload === null) return "";
  if (typeof payload === "string") return payload;
  const bytes = payload as Buffer;
  return String(reply.getHeader("content-encoding") === "gzip" ? gunzipSync(bytes) : bytes);
}

/** The schema with every object closed: a field that the document lacks is a fault. */
function strictly(schema: TSchema): TSchema {
  return close(schema) as TSchema;
}

function close(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(close);
  if (typeof schema !== "object" || schema === null) return schema;
  const closed = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, close(value)]));
  return "properties" in schema ? { ...closed, additionalProperties: false } : closed;
}
