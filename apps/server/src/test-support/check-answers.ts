import { subscribe } from "node:diagnostics_channel";
import { Readable } from "node:stream";
import { gunzipSync } from "node:zlib";
import { type Operation, openApiDocument, operations, problemType } from "@assay/contract";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { TSchema } from "typebox";
import { fastifyPath } from "../http/define-route.ts";
import { compileCheck } from "../http/validate.ts";

// Importing this file has every service of the process, and each of its answers, checked: Fastify announces its instances, so
// neither the service nor its settings know of tests. A program is checked when node gets this file with `--import`.

type Responses = Readonly<Record<string, { readonly headers?: object } | undefined>>;
type Paths = Readonly<Record<string, Readonly<Record<string, { readonly responses: Responses }>>>>;

const document = openApiDocument() as {
  readonly paths: Paths;
  readonly components: { readonly headers: object };
};
const HEADERS = Object.keys(document.components.headers);
const byRoute = new Map(
  operations.map((operation) => [`${operation.method} ${fastifyPath(operation)}`, operation]),
);
const checks = new Map<TSchema, ReturnType<typeof compileCheck>>();
const faults: string[] = [];

/** Returns what was wrong with the answers of this process since the last call. */
export function takeAnswerFaults(): readonly string[] {
  return faults.splice(0);
}

subscribe("fastify.initialization", (message) => {
  const { fastify } = message as { readonly fastify: FastifyInstance };
  fastify.addHook("onSend", (request, reply, payload, done) => {
    const operation = byRoute.get(`${request.method} ${request.routeOptions.url}`);
    const fault = operation && (headerFault(operation, reply) ?? bodyFault(operation, reply, payload));
    if (!fault) return done(null, checkLines(operation, reply, payload));
    const detail = `${request.method} ${operation.path} answers ${reply.statusCode}: ${fault}`;
    faults.push(detail);
    done(null, refuse(detail, reply));
  });
});

/** Has each line of a streamed answer checked as it passes. */
function checkLines(
  operation: Operation | undefined,
  { statusCode }: FastifyReply,
  payload: unknown,
): unknown {
  const rows = operation?.answers[statusCode]?.rows;
  return rows !== undefined && payload instanceof Readable
    ? Readable.from(checkedLines(payload, checkOf(rows), `A line of ${operation?.path}`))
    : payload;
}

async function* checkedLines(lines: Readable, check: ReturnType<typeof compileCheck>, name: string) {
  for await (const line of lines) {
    const [fault] = check(JSON.parse(String(line)));
    if (fault) faults.push(`${name}: ${fault.pointer} ${fault.detail}`);
    yield line;
  }
}

/** The caller gets the fault in place of the answer, for a test that cannot ask this process. */
function refuse(detail: string, reply: FastifyReply): string {
  reply.code(500).type("application/problem+json; charset=utf-8").removeHeader("content-encoding");
  const title = "An answer breaks the contract";
  return JSON.stringify({ type: problemType("internal"), title, status: 500, detail });
}

/** A header is declared where it is sent, and sent where it is declared. */
function headerFault({ path, method }: Operation, reply: FastifyReply): string | null {
  const response = document.paths[path]?.[method.toLowerCase()]?.responses[reply.statusCode];
  if (response === undefined) return null;
  for (const name of HEADERS) {
    const isDeclared = name in (response.headers ?? {});
    if (isDeclared !== reply.hasHeader(name))
      return `the header ${name} is ${isDeclared ? "declared and not sent" : "sent and not declared"}.`;
  }
  return null;
}

function bodyFault({ answers }: Operation, reply: FastifyReply, payload: unknown): string | null {
  const answer = answers[reply.statusCode];
  if (answer === undefined) return reply.statusCode >= 400 ? null : "the status is not declared.";
  if (answer.files !== undefined) {
    const type = String(reply.getHeader("content-type"));
    return answer.files.includes(type) ? null : `the media type ${type} is not declared.`;
  }
  if (answer.rows !== undefined) return null; // Streamed: `checkLines` looks at each line.
  const text = textOf(payload, reply);
  if (answer.schema === undefined) return text === "" ? null : "the body is not empty.";
  const [fault] = checkOf(answer.schema)(JSON.parse(text));
  return fault ? `${fault.pointer} ${fault.detail}` : null;
}

function checkOf(schema: TSchema): ReturnType<typeof compileCheck> {
  const check = checks.get(schema) ?? compileCheck(closed(schema) as TSchema);
  checks.set(schema, check);
  return check;
}

function textOf(payload: unknown, reply: FastifyReply): string {
  if (payload === undefined || payload === null) return "";
  if (typeof payload === "string") return payload;
  const bytes = payload as Buffer;
  return String(reply.getHeader("content-encoding") === "gzip" ? gunzipSync(bytes) : bytes);
}

/** The schema with every object closed: a field that it lacks is a fault. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const parts = Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, closed(part)]));
  return "properties" in schema ? { ...parts, additionalProperties: false } : parts;
}
