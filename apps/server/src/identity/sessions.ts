import type {
  Caller,
  ControlStores,
  ExternalMember,
  Person,
  Session,
  SessionOwner,
  StoredSession,
} from "@assay/domain";
import { DomainError, sessionBinding } from "@assay/domain";
import { decodeJwt } from "jose";
import type { Deps } from "../deps.ts";
import type { SignIn } from "./identity-provider.ts";
import type { Grant } from "./oidc-client.ts";
import { SESSION_LIFETIME_MS } from "./session-tokens.ts";
import { invalidToken } from "./verify-token.ts";

/** A younger token is not renewed, so that not every answer sets a cookie. */
const RENEW_AFTER_MS = 3_600_000;
/** Use is written down this often at most. */
const TOUCH_AFTER_MS = 60_000;
/** How often the provider is asked whether a session in use may continue. A person disabled there is out within this time. */
const ASK_AFTER_MS = 30_000;
/** How long a session outlives a provider that does not answer. */
const UNCONFIRMED_MS = 10 * 60_000;
/** How long a session lasts if the provider gave no refresh token, so that it cannot be asked. */
const UNASKABLE_MS = 3_600_000;
const MAX_USER_AGENT = 300;

/** What the functions of this module use. */
export type SessionDeps = Pick<Deps, "control" | "clock" | "identity" | "sealer">;

/** Stores a new session of a person who signed in with this browser. */
export async function recordSession(
  { id, startedAt }: Pick<Session, "id" | "startedAt">,
  { owner, userAgent, refreshToken }: NewSession,
  { control, clock, sealer, identity }: SessionDeps,
): Promise<void> {
  const now = clock.now();
  const isAskable = identity.kind === "local" || refreshToken !== null;
  await control.sessions.add({
    id,
    ...owner,
    startedAt,
    lastUsedAt: now,
    endsAt: startedAt + (isAskable ? SESSION_LIFETIME_MS : UNASKABLE_MS),
    userAgent: userAgent.toWellFormed().replaceAll("\0", "").slice(0, MAX_USER_AGENT),
    sealedRefreshToken: refreshToken === null ? null : sealer.seal(refreshToken, sessionBinding(id)),
    askedAt: now,
    confirmedAt: now,
    verifiedAt: null,
  });
}

interface NewSession {
  readonly owner: SessionOwner;
  readonly userAgent: string;
  /** Null: the provider gave none, or there is no provider. */
  readonly refreshToken: string | null;
}

/**
 * Checks one of our own sessions in the database at every request, and at the provider whether it is still valid there.
 * Returns what is new from the provider; null when it was not asked. Throws `invalid-credential`, and
 * `identity-unavailable` when the provider has not answered for ten minutes.
 */
export async function checkSession(
  { session, externalUserId }: Pick<Person, "session" | "externalUserId">,
  deps: SessionDeps,
): Promise<Grant | null> {
  if (!session?.isOwn || deps.identity.kind === "local" || deps.identity.signIn === null) return null;
  const stored = await deps.control.sessions.find(session.id);
  const now = deps.clock.now();
  if (stored === null) throw invalidToken("The session was ended: sign in again.");
  if (now >= stored.endsAt) throw invalidToken("The session has ended: sign in again.");
  // The clock may have been ahead when the provider was asked.
  const isFresh = Math.abs(now - stored.askedAt) < ASK_AFTER_MS;
  if (stored.sealedRefreshToken === null || isFresh) return null;
  return ask({ ...stored, session, externalUserId, signIn: deps.identity.signIn }, deps);
}

type AskedSession = StoredSession & {
  readonly session: Session;
  readonly externalUserId: string;
  readonly signIn: SignIn;
};

/**
 * Of many simultaneous requests, in any process, only one asks the provider, because a refresh token may be used only
 * once.
 */
async function ask(
  { externalUserId, session, signIn, ...stored }: AskedSession,
  deps: SessionDeps,
): Promise<Grant | null> {
  const { sessions } = deps.control;
  const now = deps.clock.now();
  const binding = sessionBinding(stored.id);
  const refreshToken = deps.sealer.open(stored.sealedRefreshToken ?? "", binding);
  if (refreshToken === null) throw invalidToken("The session can no longer be confirmed: sign in again.");
  if (!(await sessions.claimQuestion(stored.id, stored.askedAt, now))) return null;
  try {
    const grant = await signIn.client.refresh(refreshToken, externalUserId);
    if (grant === null) {
      await endSession(session, deps);
      throw invalidToken("The identity provider ended the session: sign in again.");
    }
    await sessions.confirm(stored.id, deps.sealer.seal(grant.refreshToken ?? refreshToken, binding), now);
    return grant;
  } catch (error) {
    const isOutage = error instanceof DomainError && error.kind === "identity-unavailable";
    if (isOutage && now - stored.confirmedAt < UNCONFIRMED_MS) return null;
    throw error;
  }
}

/**
 * Writes down that a session is in use, at most once a minute. Sessions of an earlier version are stored with their first use. Returns
 * when the person last used a passkey in it; null: never.
 */
export async function noteUse(
  {
    session,
    owner,
    userAgent,
  }: { readonly session: Session | null; readonly owner: SessionOwner; readonly userAgent: string },
  deps: SessionDeps,
): Promise<number | null> {
  if (!session?.isOwn) return null;
  const stored = await deps.control.sessions.find(session.id);
  if (stored === null) {
    await recordSession(session, { owner, userAgent, refreshToken: null }, deps);
    return null;
  }
  const now = deps.clock.now();
  if (now - stored.lastUsedAt >= TOUCH_AFTER_MS) await deps.control.sessions.touch(session.id, now);
  return stored.verifiedAt;
}

interface EndDeps extends Pick<SessionDeps, "clock"> {
  /** The control plane, or the stores of a transaction. */
  readonly control: Pick<ControlStores, "endedSessions" | "sessions">;
}

/** Ends a session: from the next request on, every process refuses all its tokens, including copies. */
export async function endSession(
  { id, endsAt }: Pick<Session, "id" | "endsAt">,
  { control, clock }: EndDeps,
): Promise<void> {
  await control.endedSessions.end({ id, expiresAt: endsAt }, clock.now());
  await control.sessions.remove(id);
}

/** Ends one of the owner's sessions, or all of them. Other people's sessions are not touched. */
export async function endSessionsOf(
  owner: SessionOwner,
  ids: readonly string[] | "all",
  deps: Pick<SessionDeps, "control" | "clock">,
): Promise<void> {
  await deps.control.transaction(async (control) => {
    const own = await control.sessions.list(owner, deps.clock.now());
    for (const stored of own.filter(({ id }) => ids === "all" || ids.includes(id))) {
      // The tokens may outlast the list: they are refused for as long as they could be valid.
      const endsAt = stored.startedAt + SESSION_LIFETIME_MS;
      await endSession({ id: stored.id, endsAt }, { ...deps, control });
    }
  });
}

interface UsedSession {
  /** A verified token. */
  readonly token: string;
  readonly person: Person & Partial<ExternalMember>;
  readonly caller: Pick<Caller, "email" | "name"> & Partial<Pick<Caller, "role">>;
}

/** Issues a fresh token for an active session, with the current role. Null when the present token is still good enough. */
export async function renewSession(
  { token, person, caller: { email, name, role } }: UsedSession,
  { identity, clock }: Pick<Deps, "identity" | "clock">,
): Promise<string | null> {
  const { session, externalOrgId, externalUserId, isEmailVerified } = person;
  if (!session?.isOwn) return null;
  const issuedAt = (decodeJwt(token).iat ?? 0) * 1000;
  if (clock.now() - issuedAt < RENEW_AFTER_MS) return null;
  if (identity.kind !== "local") {
    const org = externalOrgId === undefined || role === undefined ? {} : { externalOrgId, role };
    return (
      (await identity.signIn?.tokens.issue({
        externalUserId,
        email,
        name,
        isEmailVerified,
        ...org,
        session,
      })) ?? null
    );
  }
  if (externalOrgId === undefined || role === undefined) return null;
  return identity.issue({ email, name, role, externalOrgId, session });
}
