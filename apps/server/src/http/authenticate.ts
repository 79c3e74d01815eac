import type { Auth, SessionAuth } from "@assay/contract";
import {
  type Caller,
  DomainError,
  type ExternalMember,
  type Person,
  type PlatformCaller,
  roleAllows,
} from "@assay/domain";
import type { FastifyReply, FastifyRequest } from "fastify";
import { isApiKey, type KeyHolder } from "../config/key-ring.ts";
import type { Deps } from "../deps.ts";
import { admitPerson, admitPlatformOwner } from "../identity/admit-person.ts";
import { confirmIdentity, confirmPerson } from "../identity/confirm-session.ts";
import { rejectMissingPasskey } from "../identity/passkeys.ts";
import { rejectOldSignIn } from "../identity/recent-sign-in.ts";
import { admitNightToken, admitServiceToken, isServiceToken } from "../identity/service-tokens.ts";
import { noteUse, renewSession } from "../identity/sessions.ts";
import type { Principal } from "../security/security-log.ts";
import { isOwnOrigin } from "./own-origin.ts";
import { readSessionCookie, sessionCookie } from "./session-cookie.ts";

const NO_API_KEY =
  "This address takes no API key: sign in, or send a session token or a service token as `Authorization: Bearer`.";

type KeyAuth = Extract<Auth, { kind: "key" }>;

type SessionDeps = Pick<
  Deps,
  "control" | "identity" | "clock" | "newId" | "plans" | "isPlatformOwner" | "sealer"
>;

/** Resolves the API key of an ingest request, at once when the key is known. Throws or rejects with `invalid-credential`. */
export function authenticateKey(
  { headers }: FastifyRequest,
  { scopes, takesBearer, takesBasic }: KeyAuth,
  { keyRing }: Pick<Deps, "keyRing">,
): KeyHolder | Promise<KeyHolder> {
  const authorization = headers.authorization ?? "";
  const raw =
    headers["x-api-key"] ??
    (takesBearer ? bearerOf(authorization) : takesBasic ? passwordOf(authorization) : undefined);
  if (typeof raw !== "string" || raw === "") {
    const orElse = takesBearer
      ? ", or as `Authorization: Bearer`"
      : takesBasic
        ? ", or as the password of `Authorization: Basic` (LANGFUSE_SECRET_KEY)"
        : "";
    throw unauthorised(`Send an API key in the header X-API-Key${orElse}.`);
  }
  if (isServiceToken(raw)) throw unauthorised("This is a service token: events and configs need an API key.");
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

export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/**
 * Resolves the caller of a dashboard request, a person or a machine, and checks that the caller may use the route. A
 * session in use gets a fresh cookie.
 */
export async function authenticateSession(
  exchange: Exchange,
  auth: Extract<SessionAuth, { kind: "session" }>,
  deps: SessionDeps,
): Promise<Caller> {
  const { request } = exchange;
  const { token, isCookie } = getSessionToken(request);
  // Never from a cookie: machines have no cookies, and no page may use a service token.
  if (!isCookie && isServiceToken(token)) return admitServiceToken(token, { request, auth }, deps);
  const identity = await confirmIdentity(await deps.identity.verify(token), deps);
  const admitted = await admitPerson(identity, deps);
  request.principal = { orgId: admitted.orgId, actor: admitted.userId };
  const verifiedAt = await useSession(
    { ...exchange, token, isCookie, person: identity, caller: admitted },
    deps,
  );
  const caller = {
    ...admitted,
    signedInAt: latest(admitted.signedInAt, verifiedAt),
    isPasskeyMissing: admitted.isPasskeyMissing && verifiedAt === null,
  };
  if (!auth.isBeforePasskey) rejectMissingPasskey(caller);
  if (!roleAllows(caller.role, auth.role)) {
    throw new DomainError("role-required", `This needs the role ${auth.role}; yours is ${caller.role}.`);
  }
  if (auth.isSignInRecent) rejectOldSignIn(caller, deps);
  return caller;
}

/** Resolves the caller of a platform owner's request, whose token may name no org. */
export async function authenticatePlatformOwner(
  exchange: Exchange,
  auth: Extract<SessionAuth, { kind: "platform-owner" }>,
  deps: SessionDeps,
): Promise<PlatformCaller> {
  const { request } = exchange;
  const { token, isCookie } = getSessionToken(request);
  if (!isCookie && isServiceToken(token)) return admitNightToken(token, { request, auth }, deps);
  const person = await confirmPerson(await deps.identity.verifyPerson(token), deps);
  request.principal = await findPrincipal(person, deps);
  const caller = await admitPlatformOwner(person, deps);
  const verifiedAt = await useSession({ ...exchange, token, isCookie, person, caller }, deps);
  const { orgId } = caller;
  const isRequired =
    deps.identity.kind === "local" && orgId !== null && (await deps.control.orgs.requiresPasskey(orgId));
  rejectMissingPasskey({ isPasskeyMissing: isRequired && verifiedAt === null });
  return caller;
}

/** Finds the principal before the request is refused, so that the org sees the refusal. */
async function findPrincipal(
  { externalUserId, externalOrgId }: Person & Partial<ExternalMember>,
  { control: { people } }: Pick<Deps, "control">,
): Promise<Principal | null> {
  if (externalOrgId === undefined) return null;
  const access = await people.findAccess({ externalUserId, externalOrgId });
  return access === null ? null : { orgId: access.orgId, actor: access.userId };
}

interface Use extends Exchange, SessionToken {
  readonly person: Person & Partial<ExternalMember>;
  readonly caller: Caller | PlatformCaller;
}

/** A passkey proves a person's identity as much as a sign-in does. */
function latest(signedInAt: number | null, verifiedAt: number | null): number | null {
  return signedInAt === null || verifiedAt === null ? signedInAt : Math.max(signedInAt, verifiedAt);
}

/** Returns when the person last used a passkey in the session; null: never. */
async function useSession(
  { request, reply, token, isCookie, person, caller }: Use,
  deps: SessionDeps,
): Promise<number | null> {
  const { orgId, userId } = caller;
  const userAgent = request.headers["user-agent"] ?? "";
  const verifiedAt = await noteUse({ session: person.session, owner: { orgId, userId }, userAgent }, deps);
  if (!isCookie) return verifiedAt;
  const renewed = await renewSession({ token, person, caller }, deps);
  if (renewed !== null) reply.header("set-cookie", [...sessionCookie(renewed, request)]);
  return verifiedAt;
}

interface SessionToken {
  readonly token: string;
  readonly isCookie: boolean;
}

function getSessionToken(request: FastifyRequest): SessionToken {
  const found = findSessionToken(request);
  if (found === null) {
    if (request.headers["x-api-key"] !== undefined) throw unauthorised(NO_API_KEY);
    throw unauthorised("Send a session token as `Authorization: Bearer`, or sign in.");
  }
  if (found.isCookie && request.method !== "GET" && request.method !== "HEAD") rejectForeignOrigin(request);
  return found;
}

/** Finds the session token of a request; null when there is none. Throws `invalid-credential` for another `Authorization`. */
export function findSessionToken({ headers }: FastifyRequest): SessionToken | null {
  const { authorization } = headers;
  if (authorization === undefined) {
    const cookie = readSessionCookie(headers.cookie);
    return cookie === null ? null : { token: cookie, isCookie: true };
  }
  const bearer = bearerOf(authorization);
  if (bearer === undefined) throw unauthorised("The header Authorization must be `Bearer <session token>`.");
  if (isApiKey(bearer)) throw unauthorised(NO_API_KEY);
  return { token: bearer, isCookie: false };
}

/** The user name is ignored: the secret key alone identifies the caller. */
function passwordOf(authorization: string): string | undefined {
  const encoded = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(authorization)?.[1];
  if (encoded === undefined) return undefined;
  const pair = Buffer.from(encoded, "base64").toString("utf8");
  const colon = pair.indexOf(":");
  return colon === -1 ? undefined : pair.slice(colon + 1);
}

const bearerOf = (authorization: string): string | undefined => /^Bearer ([^\s]+)$/i.exec(authorization)?.[1];

/** A browser sends its cookie from any page, so a change needs an `Origin` that is this service's own (contract §3). */
export function rejectForeignOrigin(request: FastifyRequest): void {
  if (!isOwnOrigin(request)) {
    throw new DomainError(
      "foreign-origin",
      "A request with a session cookie may change data only if it comes from the dashboard's own origin.",
    );
  }
}

function unauthorised(detail: string): DomainError {
  return new DomainError("invalid-credential", detail);
}
