import { randomBytes } from "node:crypto";
import { isPersonal, type SessionAuth } from "@assay/contract";
import {
  type Caller,
  DomainError,
  type HeldToken,
  isUseWorthNoting,
  type PlatformCaller,
  refusalOfToken,
  roleAllows,
  type TokenRefusal,
} from "@assay/domain";
import type { FastifyRequest } from "fastify";
import { hashKey } from "../config/key-ring.ts";
import type { Deps } from "../deps.ts";

const PREFIX = "svc_st_";
/** The prefix and five of the 43 random characters. */
const SHOWN = 12;
/** Nothing else is hashed and looked up. */
const FORM = /^svc_st_[A-Za-z0-9_-]{43}$/;

const REFUSALS: Readonly<Record<TokenRefusal, string>> = {
  expired: "The service token has expired: have an admin make a new one.",
  "maker-gone":
    "The person who made the service token is no longer a member: have another admin make a new one.",
  "maker-lost-role":
    "The person who made the service token no longer has its role: have another admin make a new one.",
};

/** Makes the secret of a service token, 256 random bits, and its prefix, which may be shown and stored. */
export function newServiceToken(): { readonly raw: string; readonly prefix: string; readonly hash: string } {
  const raw = PREFIX + randomBytes(32).toString("base64url");
  return { raw, prefix: raw.slice(0, SHOWN), hash: hashKey(raw) };
}

/** Whether a bearer token is meant to be a service token. No session token starts like one. */
export function isServiceToken(bearer: string): boolean {
  return bearer.startsWith(PREFIX);
}

type TokenDeps = Pick<Deps, "control" | "clock" | "isPlatformOwner">;

/** A request with a service token, and whom the route admits. */
interface Admission<A> {
  readonly request: Pick<FastifyRequest, "principal">;
  readonly auth: A;
}

/**
 * Admits the machine that holds a service token to a route of an org. Throws `invalid-credential` for a token that is unknown, revoked,
 * expired or has outlived its maker's rights, and `person-required` or `role-required` for a route that it may not call.
 */
export async function admitServiceToken(
  raw: string,
  { request, auth }: Admission<Extract<SessionAuth, { kind: "session" }>>,
  deps: TokenDeps,
): Promise<Caller> {
  const token = await useToken(raw, request, deps);
  rejectRoute(token, auth);
  const { orgId, id: userId, role, name } = token;
  return {
    orgId,
    userId,
    role,
    name,
    email: "",
    isPlatformOwner: false,
    sessionId: null,
    signedInAt: null,
    isPasskeyMissing: false,
  };
}

/** Does the same for platform owners' routes that accept tokens which may run nights. Else `platform-owner-required`. */
export async function admitNightToken(
  raw: string,
  { request, auth }: Admission<Extract<SessionAuth, { kind: "platform-owner" }>>,
  deps: TokenDeps,
): Promise<PlatformCaller> {
  const token = await useToken(raw, request, deps);
  rejectPlatformRoute(token, auth, deps);
  const { orgId, id: userId, name } = token;
  return { orgId, userId, name, email: "" };
}

/** Each request reads the token, so a revocation takes effect with the next one in every process. */
async function useToken(raw: string, request: Admission<unknown>["request"], deps: TokenDeps) {
  const now = deps.clock.now();
  const token = FORM.test(raw) ? await deps.control.serviceTokens.findByHash(hashKey(raw)) : null;
  if (token === null)
    throw new DomainError("invalid-credential", "The service token is not valid: it may have been revoked.");
  request.principal = { orgId: token.orgId, actor: token.id };
  const refusal = refusalOfToken(token, now);
  if (refusal !== null) throw new DomainError("invalid-credential", REFUSALS[refusal]);
  if (isUseWorthNoting(token, now)) await deps.control.serviceTokens.recordUse(token, now);
  return token;
}

function rejectRoute({ role }: HeldToken, auth: Extract<SessionAuth, { kind: "session" }>): void {
  if (isPersonal(auth))
    throw new DomainError("person-required", "A service token may not do this: sign in and do it yourself.");
  if (!roleAllows(role, auth.role))
    throw new DomainError(
      "role-required",
      `This needs the role ${auth.role}; the service token's is ${role}.`,
    );
}

/** The right to run nights ends when the token's maker is no longer a platform owner. */
function rejectPlatformRoute(
  { runsNights, makerEmail }: HeldToken,
  { takesNightTokens }: Extract<SessionAuth, { kind: "platform-owner" }>,
  { isPlatformOwner }: TokenDeps,
): void {
  if (takesNightTokens && runsNights && makerEmail !== "" && isPlatformOwner(makerEmail)) return;
  throw new DomainError(
    "platform-owner-required",
    takesNightTokens
      ? "This needs a service token that may run nights, made by a platform owner."
      : "A service token may not do this: a platform owner has to sign in.",
  );
}
