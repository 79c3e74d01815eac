import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import { type ClickHouseRequest, readClickHouseRequest } from "./clickhouse-request.ts";
import type { Engine, EngineResult } from "./engine.ts";
import type { QuerySlots } from "./query-slots.ts";
import { Refusal } from "./refusal.ts";

/** Dependencies of the front. `stopping` aborts every waiting or running query. */
export interface FrontDeps {
  readonly engine: Engine;
  readonly slots: QuerySlots;
  readonly username: string;
  readonly password: string;
  readonly stopping: AbortSignal;
}

/** The parameters of a GET are in the URL, which ClickHouse limits to 1 MiB. */
const MAX_HEADER_BYTES = 1024 * 1024;
/** Longer than clients keep idle sockets (2.5 s by default), so that a client never writes to a closing socket. */
const KEEP_ALIVE_MS = 30_000;

const compress = promisify(gzip);

/** Creates the HTTP server that serves ClickHouse's protocol for the engine; the caller calls `listen`. */
export function createFront(deps: FrontDeps): Server {
  const options = { maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: KEEP_ALIVE_MS };
  return createServer(options, (message, response) => {
    answer(message, response, deps).catch((error: unknown) => answerError(response, error));
  });
}

async function answer(message: IncomingMessage, response: ServerResponse, deps: FrontDeps): Promise<void> {
  const url = new URL(message.url ?? "/", "http://localhost");
  if (url.pathname === "/ping") {
    await deps.engine.ping();
    response.end("Ok.\n");
    return;
  }
  if (url.pathname !== "/" || !(message.method === "GET" || message.method === "POST")) {
    throw new Refusal("unknown-path", "Only GET and POST of / and /ping are served");
  }
  requireCredentials(message, deps);
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const request = await readClickHouseRequest(message, url);
  const signal = AbortSignal.any([gone.signal, deps.stopping]);
  const result = await deps.slots.run(signal, () => deps.engine.run(request, signal));
  await answerResult(message, response, { request, result });
}

async function answerResult(
  message: IncomingMessage,
  response: ServerResponse,
  { request, result }: { request: ClickHouseRequest; result: EngineResult },
): Promise<void> {
  response.setHeader("X-ClickHouse-Query-Id", request.queryId);
  response.setHeader("X-ClickHouse-Format", /\bFORMAT\s+(\w+)$/i.exec(request.sql)?.[1] ?? request.format);
  response.setHeader("X-ClickHouse-Summary", JSON.stringify(summary(result)));
  if (!wantsGzip(message, request)) {
    response.end(result.bytes);
    return;
  }
  response.setHeader("Content-Encoding", "gzip");
  response.end(await compress(result.bytes, { level: constants.Z_BEST_SPEED }));
}

function wantsGzip(message: IncomingMessage, { settings }: ClickHouseRequest): boolean {
  const accepted = String(message.headers["accept-encoding"] ?? "");
  return settings.get("enable_http_compression") === "1" && /\bgzip\b/.test(accepted);
}

function summary(result: EngineResult): Record<string, string> {
  return {
    read_rows: String(result.readRows),
    read_bytes: String(result.readBytes),
    written_rows: String(result.writtenRows),
    written_bytes: String(result.writtenBytes),
    total_rows_to_read: "0",
    result_rows: String(result.writtenRows),
    result_bytes: String(result.bytes.length),
    elapsed_ns: String(Math.round(result.elapsedSeconds * 1e9)),
  };
}

function answerError(response: ServerResponse, error: unknown): void {
  if (response.destroyed) return;
  const { status, text } = describe(error);
  response.statusCode = status;
  response.setHeader("X-ClickHouse-Exception-Code", /^Code: (\d+)/.exec(text)?.[1] ?? "0");
  if (!response.req.complete) response.setHeader("Connection", "close"); // the body was not read to its end
  response.end(`${text}\n`);
}

function describe(error: unknown): { status: number; text: string } {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof Refusal) return { status: error.status, text: message };
  const fromEngine = message.indexOf("Code: ");
  if (fromEngine !== -1) return { status: 500, text: message.slice(fromEngine) };
  return { status: 500, text: `Code: 1002. DB::Exception: ${message}. (UNKNOWN_EXCEPTION)` };
}

function requireCredentials(message: IncomingMessage, { username, password }: FrontDeps): void {
  const { "x-clickhouse-user": user, "x-clickhouse-key": key, authorization } = message.headers;
  const given = authorization?.startsWith("Basic ")
    ? Buffer.from(authorization.slice("Basic ".length), "base64").toString("utf8")
    : `${String(user)}:${String(key)}`;
  if (timingSafeEqual(digest(given), digest(`${username}:${password}`))) return;
  throw new Refusal("wrong-credentials", "Authentication failed: unknown user or wrong password");
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
