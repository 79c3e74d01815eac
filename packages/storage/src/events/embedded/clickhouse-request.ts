import type { IncomingMessage } from "node:http";
import { pipeline, type Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { Refusal } from "./refusal.ts";

/** A parsed request of ClickHouse's HTTP protocol. */
export interface ClickHouseRequest {
  readonly queryId: string;
  readonly sql: string;
  /** The data of an INSERT; null when there is none. */
  readonly rows: Buffer | null;
  /** The output format, unless the statement names one. */
  readonly format: string;
  readonly database: string | null;
  readonly settings: ReadonlyMap<string, string>;
  readonly params: ReadonlyMap<string, string>;
}

const MAX_BODY_BYTES = 64 * 1024 * 1024;
const NAME = /^[A-Za-z_]\w*$/;

/** URL parameters for a server's HTTP handler; the engine has no such settings. */
const HTTP_ONLY = new Set(["wait_end_of_query", "buffer_size"]);
const OWN = new Set(["query", "query_id", "database", "default_format"]);

/** Reads and decompresses a whole request. Throws a `Refusal` when it is malformed or too large. */
export async function readClickHouseRequest(message: IncomingMessage, url: URL): Promise<ClickHouseRequest> {
  const body = await readBody(message);
  const contentType = message.headers["content-type"] ?? "";
  const form = contentType.startsWith("multipart/form-data") ? await readForm(body, contentType) : null;
  const parameters = new Map([...url.searchParams, ...(form ?? [])]);
  const sqlInUrl = parameters.get("query");
  const hasRows = sqlInUrl !== undefined && form === null && body.length > 0;
  return {
    queryId: parameters.get("query_id") ?? "",
    sql: (sqlInUrl ?? body.toString("utf8")).trim(),
    rows: hasRows ? body : null,
    format: parameters.get("default_format") ?? "TabSeparated",
    database: named(parameters.get("database") ?? null),
    ...assignments(parameters),
  };
}

async function readForm(body: Buffer, contentType: string): Promise<[string, string][]> {
  const form = await new Response(new Uint8Array(body), { headers: { "content-type": contentType } })
    .formData()
    .catch(() => {
      throw new Refusal("bad-request", "The multipart body cannot be read");
    });
  return [...form].map(([name, value]) => {
    if (typeof value !== "string") throw new Refusal("bad-request", "External tables are not supported");
    return [name, value];
  });
}

function assignments(parameters: ReadonlyMap<string, string>): {
  settings: Map<string, string>;
  params: Map<string, string>;
} {
  const settings = new Map<string, string>();
  const params = new Map<string, string>();
  for (const [name, value] of parameters) {
    if (OWN.has(name) || HTTP_ONLY.has(name)) continue;
    if (name.startsWith("param_")) params.set(named(name.slice("param_".length)), value);
    else if (name !== "max_execution_time" || isLimit(value)) settings.set(named(name), value);
  }
  return { settings, params };
}

/** Zero would mean no limit, but a client must not lift the connection's limit. */
function isLimit(seconds: string): boolean {
  return Number(seconds) > 0;
}

function named<T extends string | null>(name: T): T {
  if (name === null || NAME.test(name)) return name;
  throw new Refusal("bad-request", "The name of a setting, parameter or database is not an identifier");
}

async function readBody(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  // The request stays open when reading stops early, so that a refusal can still be sent.
  for await (const chunk of decompressed(message).iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) {
      throw new Refusal("body-too-large", `A body may have ${MAX_BODY_BYTES} bytes after decompression`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

function decompressed(message: IncomingMessage): Readable {
  const encoding = message.headers["content-encoding"] ?? "identity";
  if (encoding === "identity") return message;
  if (encoding !== "gzip") throw new Refusal("bad-request", `Content-Encoding ${encoding} is not supported`);
  return pipeline(message, createGunzip(), () => {}); // the reader sees the error
}
