import type { SessionAuth } from "@assay/contract";
import { type Caller, DomainError, roleAllows } from "@assay/domain";
import type { FastifyRequest } from "fastify";
import type { KeyHolder } from "../config/key-ring.ts";
import type { Deps } from "../deps.ts";
import { readCookie, SESSION_COOKIE } from "./session-cookie.ts";

/** Resolves the API key of an ingest request, at once when the key is known. Throws or rejects with `invalid-credential`. */
export function authenticateKey(
  request: FastifyRequest,
  scopes: readonly string[],
  { keyRing }: Pick<Deps, "keyRing">,
): KeyHolder | Promise<KeyHolder> {
  const raw = request.headers["x-api-key"];
  if (typeof raw !== "string" || raw === "") throw unauthorised("Send an API key in the header X-API-Key.");
  const holder = keyRing.resolve(raw);
  return holder instanceof Promise
    ? holder.then((loaded) => admitted(loaded, scopes))
    : admitted(holder, scopes);
}

function admitted(holder: KeyHolder | null, scopes: readonly string[]): KeyHolder {
  if (holder === null) throw unauthorised("The API key is not valid: it may have been rotated.");
  if (!scopes.includes(holder.scope)) throw unauthorised(`This address needs a ${scopes.join(" or ")} key.`);
  return holder;
}

/** Resolves the caller of a dashboard request and checks the right to be there. */
export async function authenticateSession(
  request: FastifyRequest,
  auth: SessionAuth,
  deps: Pick<Deps, "control" | "tokens" | "clock" | "isPlatformOwner">,
): Promise<Caller> {
  const identity = await deps.tokens.verify(sessionToken(request));
  if (identity === null) throw unauthorised("The session is missing, not valid or expired: sign in again.");
  const membership = await deps.control.orgs.provision(identity, deps.clock.now());
  const { email, name } = identity;
  const caller = { ...membership, email, name, isPlatformOwner: deps.isPlatformOwner(email) };
  if (auth.kind === "platform-owner" && !caller.isPlatformOwner) {
    throw new DomainError("platform-owner-required", "Your sign-in email is not a platform owner's.");
  }
  if (auth.kind === "session" && !roleAllows(caller.role, auth.role)) {
    throw new DomainError("role-required", `This needs the role ${auth.role}; yours is ${caller.role}.`);
  }
  return caller;
}

function sessionToken(request: FastifyRequest): string {
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    const bearer = /^Bearer ([^\s]+)$/i.exec(authorization)?.[1];
    if (bearer === undefined)
      throw unauthorised("The header Authorization must be `Bearer <session token>`.");
    return bearer;
  }
  const cookie = readCookie(request.headers.cookie, SESSION_COOKIE);
  if (cookie === null) throw unauthorised("Send a session token as `Authorization: Bearer`, or sign in.");
  if (request.method !== "GET") rejectForeignOrigin(request);
  return cookie;
}

/** A browser sends its cookie from anywhere: a change needs an `Origin` that is this service's own (contract §3). */
export function rejectForeignOrigin(request: FastifyRequest): void {
  const origin = request.headers.origin;
  const host = request.headers.host;
  if (origin === undefined || host === undefined || URL.parse(origin)?.host !== host) {
    throw new DomainError(
      "foreign-origin",
      "With a session cookie, changes are taken from the dashboard's own origin only.",
    );
  }
}

function unauthorised(detail: string): DomainError {
  return new DomainError("invalid-credential", detail);
}
