import type { IncomingHttpHeaders } from "node:http";
import type { Operation } from "@assay/contract";
import { clientOf, DomainError, type EventSource, type KeyScope } from "@assay/domain";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { KeyHolder } from "../../config/key-ring.ts";
import type { Deps } from "../../deps.ts";
import { authenticateKey } from "../../http/authenticate.ts";
import type { RateLimiter } from "../../http/rate-limits.ts";
import { type BodyForm, contentCoding, MAX_BODY_BYTES, readBody } from "../../http/raw-request.ts";
import type { Sender } from "../../ingest/accept-batch.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set by `admit`. */
    keyHolder: KeyHolder | null;
  }
}

const MAX_SHOWN_ORIGIN = 200;

/**
 * Makes the hook that admits a request before its body is read, so that neither strangers nor senders over their rate
 * can make the service buffer megabytes. It resolves the key, notes its use and takes one request and the announced
 * bytes from its rates. It uses a callback, not a promise, because it runs for every request of the hot paths and a
 * known key resolves at once.
 */
export function admit(
  { auth }: Pick<Operation, "auth">,
  policy: "assign" | "events" | "config" | "import",
  deps: Pick<Deps, "keyRing" | "keyUses" | "rateLimits">,
) {
  if (auth.kind !== "key") throw new Error("This route takes no API key.");
  const limiter = deps.rateLimits[policy];
  return (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void => {
    const enter = (holder: KeyHolder) => {
      request.principal = { orgId: holder.orgId, actor: holder.prefix };
      requireAllowedOrigin(holder, request);
      deps.keyUses.note(holder, request.headers.origin !== undefined);
      if (policy === "events") takeRows(holder, 0, deps);
      limiter.take(holder, 0);
      const bytes = announcedBytes(request.headers);
      if (policy === "events" || policy === "assign" || bytes > 0) takeBytes(holder, bytes, deps);
      limiter.take(holder);
      request.keyHolder = holder;
      done();
    };
    const holder = authenticateKey(request, auth, deps);
    if (holder instanceof Promise) holder.then(enter).catch(done);
    else enter(holder);
  };
}

/** Admits requests of the usual form without the hook. */
export interface DirectEntry {
  /** Returns the holder of a known key that may call the route and is within its rates. Null otherwise, or for a page. */
  find(headers: IncomingHttpHeaders): KeyHolder | null;
  /** Counts the request of a holder just found, and the bytes and rows of its body. */
  take(holder: KeyHolder, bytes: number, rows: number): void;
  /** Gives back what `take` counted, because the framework will count the request. */
  giveBack(holder: KeyHolder, bytes: number, rows: number): void;
}

/** Makes the entry of a route that answers directly. */
export function directEntry(
  { auth }: Pick<Operation, "auth">,
  policy: "assign" | "events" | "config",
  { keyRing, keyUses, rateLimits }: Pick<Deps, "keyRing" | "keyUses" | "rateLimits">,
): DirectEntry {
  const scopes: readonly KeyScope[] = auth.kind === "key" ? auth.scopes : [];
  const limiter = rateLimits[policy];
  const takesBytes = policy !== "config";
  const takesRows = policy === "events";
  return {
    find({ "x-api-key": key, origin }) {
      const holder = typeof key === "string" && origin === undefined ? keyRing.peek(key) : null;
      if (holder === null || !scopes.includes(holder.scope)) return null;
      // Before the body is parsed, as the hook checks them before it is read.
      if (!limiter.tryTake(holder, 0)) return null;
      if (takesBytes && !bytesOf(holder, rateLimits).tryTake(holder, 0)) return null;
      return takesRows && !rowsOf(holder, rateLimits).tryTake(holder, 0) ? null : holder;
    },
    take(holder, bytes, rows) {
      limiter.take(holder);
      if (takesBytes) bytesOf(holder, rateLimits).take(holder, bytes);
      if (takesRows) rowsOf(holder, rateLimits).take(holder, rows);
      keyUses.note(holder, false);
    },
    giveBack(holder, bytes, rows) {
      limiter.giveBack(holder);
      if (takesBytes) bytesOf(holder, rateLimits).giveBack(holder, bytes);
      if (takesRows) rowsOf(holder, rateLimits).giveBack(holder, rows);
    },
  };
}

/**
 * Refuses a page whose origin the key does not allow. Without an `Origin`, the caller is unknown and counts as not a
 * page.
 */
function requireAllowedOrigin({ allowedOrigins }: KeyHolder, { headers: { origin } }: FastifyRequest): void {
  if (origin === undefined || allowedOrigins === null || allowedOrigins.includes(origin)) return;
  throw new DomainError(
    "foreign-origin",
    `This publishable key does not allow pages of ${origin.slice(0, MAX_SHOWN_ORIGIN)}: an admin can add the origin under API keys in the dashboard, or with PUT /v1/keys/publishable.`,
  );
}

/** Takes rows from the key's rate; 0 checks whether one is left. Throws `rate-limited`. */
export function takeRows(holder: KeyHolder, rows: number, { rateLimits }: Pick<Deps, "rateLimits">): void {
  rowsOf(holder, rateLimits).take(holder, rows);
}

function rowsOf({ scope }: KeyHolder, { publicRows, rows }: Deps["rateLimits"]): RateLimiter<KeyHolder> {
  return scope === "publishable" ? publicRows : rows;
}

/**
 * The length of a body that is not compressed, if its headers have one; 0 for all others. A body that is too large counts as none,
 * because it is refused without being read.
 */
function announcedBytes(headers: IncomingHttpHeaders): number {
  const length = Number(headers["content-length"] ?? 0);
  return length <= MAX_BODY_BYTES && contentCoding(headers) === "identity" ? length : 0;
}

/** Takes decompressed bytes from the key's rate; 0 checks whether one is left. Throws `rate-limited`. */
function takeBytes(holder: KeyHolder, size: number, { rateLimits }: Pick<Deps, "rateLimits">): void {
  bytesOf(holder, rateLimits).take(holder, size);
}

function bytesOf({ scope }: KeyHolder, { publicBytes, bytes }: Deps["rateLimits"]): RateLimiter<KeyHolder> {
  return scope === "publishable" ? publicBytes : bytes;
}

/**
 * Reads the body and takes its decompressed size from the key's rate of bytes, unless `admit` has done so. A body that
 * cannot be decompressed costs as much as the largest. Throws or rejects with `rate-limited` in addition to what
 * `readBody` throws, and returns a promise when `readBody` does.
 */
export function readChargedBody(
  request: FastifyRequest,
  deps: Pick<Deps, "rateLimits">,
  maxBytes: number = MAX_BODY_BYTES,
  form?: BodyForm,
): Buffer | Promise<Buffer> {
  if (contentCoding(request.headers) === "gzip") return inflateCharged(request, deps, { maxBytes, form });
  const isCharged = announcedBytes(request.headers) > 0;
  if (!isCharged && Buffer.isBuffer(request.body)) takeBytes(holderOf(request), request.body.length, deps);
  return readBody(request, maxBytes, form);
}

async function inflateCharged(
  request: FastifyRequest,
  deps: Pick<Deps, "rateLimits">,
  { maxBytes, form }: { readonly maxBytes: number; readonly form: BodyForm | undefined },
): Promise<Buffer> {
  let size = maxBytes;
  try {
    const body = await readBody(request, maxBytes, form);
    size = body.length;
    return body;
  } finally {
    takeBytes(holderOf(request), size, deps);
  }
}

/** The sender of a request's events. `source` overrides the key's source for events that come another way. */
export function senderOf(request: FastifyRequest, source?: EventSource): Sender {
  return holderAsSender(holderOf(request), request.headers, source);
}

/** Does the same for the holder of a request's key. */
export function holderAsSender(
  { orgId, scope, prefix }: KeyHolder,
  headers: IncomingHttpHeaders,
  source: EventSource = scope,
): Sender {
  return { orgId, provenance: { source, keyPrefix: prefix, client: clientOf(headers["user-agent"]) } };
}

/** The holder of the request's key, which the hook has set. */
export function holderOf(request: FastifyRequest): KeyHolder {
  if (request.keyHolder === null) throw new Error("This route lacks the hook `admit`.");
  return request.keyHolder;
}
