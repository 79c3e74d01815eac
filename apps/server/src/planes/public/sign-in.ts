import {
  DomainError,
  type ExternalMember,
  type Person,
  type SecurityEventName,
  type Session,
} from "@assay/domain";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { Deps } from "../../deps.ts";
import { findSessionToken, rejectForeignOrigin } from "../../http/authenticate.ts";
import { endedSessionCookie, readSessionCookie, sessionCookie } from "../../http/session-cookie.ts";
import { compileCheck, rejectBody } from "../../http/validate.ts";
import type { IdentityProvider, LocalIdentity } from "../../identity/identity-provider.ts";
import { localSubject } from "../../identity/local-identity.ts";
import { endSession } from "../../identity/sessions.ts";
import { findSignInLink, redeemSignInToken } from "../../identity/sign-in-links.ts";
import { registerProviderSignIn, START_PATH } from "./provider-sign-in.ts";

const check = compileCheck(
  Type.Object(
    {
      ticket: Type.String({ minLength: 1, maxLength: 200 }),
      // Whether to end another person's session in this browser.
      replace: Type.Optional(Type.Boolean()),
    },
    { additionalProperties: false },
  ),
);

/** Serves sign-in by links where sessions are signed here, sign-out, and the name of who signs sessions. */
export function registerSignIn(app: FastifyInstance, deps: Deps): void {
  registerProviderSignIn(app, deps);
  app.get("/auth/identity", async (_request, reply) => {
    const { identity } = deps;
    reply.header("cache-control", "no-cache");
    if (identity.kind === "local") return { kind: identity.kind, issuer: null, sign_in: null };
    const { kind, issuer, signIn, claims } = identity;
    const roles = claims.defaultRole === null ? "provider" : "here";
    return { kind, issuer, sign_in: signIn === null ? null : START_PATH, roles };
  });
  // A POST from the page, so that a link preview cannot use up the ticket.
  app.post("/auth/sign-in", async (request, reply) => {
    const identity = getLocal(deps.identity);
    rejectForeignOrigin(request);
    const body = request.body ?? {};
    rejectBody(check(body));
    const { ticket, replace = false } = body as { ticket: string; replace?: boolean };
    const former = await findForeignSession(ticket, request, deps);
    if (former !== null && !replace) throw ofAnother(former);
    const token = await redeemSignInToken(ticket, { ...deps, identity });
    if (former !== null) await endSession(former.session, deps);
    await reportAct(
      "security.sign_in.accepted",
      { person: await identity.verifyPerson(token), request },
      deps,
    );
    return reply
      .header("set-cookie", [...sessionCookie(token, request)])
      .code(204)
      .send();
  });
  app.post("/auth/sign-out", async (request, reply) => {
    const found = findSessionToken(request);
    if (found === null || found.isCookie) rejectForeignOrigin(request);
    const ended = found === null ? null : await verifyQuietly(found.token, deps.identity);
    if (ended !== null) {
      if (ended.session !== null) await endSession(ended.session, deps);
      await reportAct("security.sign_out.accepted", { person: ended, request }, deps);
    }
    return reply
      .header("set-cookie", [...endedSessionCookie(request)])
      .code(204)
      .send();
  });
}

interface ForeignSession {
  readonly session: Session;
  /** The email of the person who is signed in, and of the person whom the link signs in. */
  readonly email: string;
  readonly linkEmail: string;
}

/** Finds this browser's session if it is another person's than the link's, which must not replace it unnoticed. */
async function findForeignSession(
  ticket: string,
  request: FastifyRequest,
  deps: Deps,
): Promise<ForeignSession | null> {
  const token = readSessionCookie(request.headers.cookie);
  const person = token === null ? null : await deps.identity.verifyPerson(token).catch(() => null);
  if (person === null || person.session === null) return null;
  const { session } = person;
  if (await deps.control.endedSessions.isEnded(session.id)) return null;
  const link = await findSignInLink(ticket, deps);
  if (link === null || localSubject(link.email) === person.externalUserId) return null;
  return { session, email: person.email ?? person.externalUserId, linkEmail: link.email };
}

function ofAnother({ email, linkEmail }: ForeignSession): DomainError {
  return new DomainError(
    "session-of-another",
    `You are signed in as ${email}, and this link signs in ${linkEmail}. Send it again with "replace": true to end your session.`,
  );
}

/** Throws `members-elsewhere` where another provider signs the sessions. */
function getLocal(identity: IdentityProvider): LocalIdentity {
  if (identity.kind === "local") return identity;
  throw new DomainError(
    "members-elsewhere",
    `Sessions of this installation come from ${identity.issuer}: sign in there.`,
  );
}

type Somebody = Person & Partial<ExternalMember>;

/** Returns null for a token that is no longer valid, since there is no session to end. */
async function verifyQuietly(token: string, identity: IdentityProvider): Promise<Somebody | null> {
  try {
    return await identity.verifyPerson(token);
  } catch (error) {
    if (error instanceof DomainError && error.kind === "invalid-credential") return null;
    throw error;
  }
}

/** Reports an action of a session's holder. Unknown or removed holders have no org to report to. */
async function reportAct(
  name: SecurityEventName,
  { person, request }: { readonly person: Somebody; readonly request: FastifyRequest },
  { control, security }: Pick<Deps, "control" | "security">,
): Promise<void> {
  const { externalUserId, externalOrgId } = person;
  if (externalOrgId === undefined) return;
  const access = await control.people.findAccess({ externalUserId, externalOrgId });
  if (access === null || access.isRemoved) return;
  security.act({ name, orgId: access.orgId, actor: access.userId }, request);
}
