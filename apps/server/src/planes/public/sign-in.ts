import { DomainError, type Identity, type SecurityEventName } from "@assay/domain";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { Deps } from "../../deps.ts";
import { findSessionToken, rejectForeignOrigin } from "../../http/authenticate.ts";
import { endedSessionCookie, sessionCookie } from "../../http/session-cookie.ts";
import { compileCheck, rejectBody } from "../../http/validate.ts";
import type { IdentityProvider, LocalIdentity } from "../../identity/identity-provider.ts";
import { SESSION_LIFETIME_MS } from "../../identity/local-identity.ts";
import { redeemSignInToken } from "../../identity/sign-in-links.ts";

const check = compileCheck(
  Type.Object({ ticket: Type.String({ minLength: 1, maxLength: 200 }) }, { additionalProperties: false }),
);

/** Serves sign-in and sign-out where sessions are signed here; elsewhere says which provider signs them. */
export function registerSignIn(app: FastifyInstance, deps: Deps): void {
  app.get("/auth/identity", async (_request, reply) => {
    const { identity } = deps;
    reply.header("cache-control", "no-cache");
    return { kind: identity.kind, issuer: identity.kind === "local" ? null : identity.issuer };
  });
  // A POST from the page, so that no link preview can spend the ticket.
  app.post("/auth/sign-in", async (request, reply) => {
    const identity = getLocal(deps.identity);
    rejectForeignOrigin(request);
    const body = request.body ?? {};
    rejectBody(check(body));
    const token = await redeemSignInToken((body as { ticket: string }).ticket, { ...deps, identity });
    await reportAct("security.sign_in.accepted", { identity: await identity.verify(token), request }, deps);
    return reply.header("set-cookie", sessionCookie(token, request)).code(204).send();
  });
  app.post("/auth/sign-out", async (request, reply) => {
    const identity = getLocal(deps.identity);
    const found = findSessionToken(request);
    if (found === null || found.isCookie) rejectForeignOrigin(request);
    const ended = found === null ? null : await verifyQuietly(found.token, identity);
    if (ended !== null) {
      await endSession(ended.session, deps);
      await reportAct("security.sign_out.accepted", { identity: ended, request }, deps);
    }
    return reply.header("set-cookie", endedSessionCookie()).code(204).send();
  });
}

/** Throws `members-elsewhere` where another provider signs the sessions. */
function getLocal(identity: IdentityProvider): LocalIdentity {
  if (identity.kind === "local") return identity;
  throw new DomainError(
    "members-elsewhere",
    `Sessions of this installation come from ${identity.issuer}: sign in and out there.`,
  );
}

/** Returns null for a token that is no longer valid: there is no session to end. */
async function verifyQuietly(token: string, identity: LocalIdentity): Promise<Identity | null> {
  try {
    return await identity.verify(token);
  } catch (error) {
    if (error instanceof DomainError && error.kind === "invalid-credential") return null;
    throw error;
  }
}

/** Reports what the holder of a session did. Whoever is not known here, or removed, has no org to report to. */
async function reportAct(
  name: SecurityEventName,
  { identity, request }: { readonly identity: Identity; readonly request: FastifyRequest },
  { control, security }: Pick<Deps, "control" | "security">,
): Promise<void> {
  const access = await control.people.findAccess(identity);
  if (access === null || access.isRemoved) return;
  security.act({ name, orgId: access.orgId, actor: access.userId }, request);
}

/** Ends the session for every copy of its token and every token that renewed it. */
async function endSession(
  session: Identity["session"],
  { control, clock }: Pick<Deps, "control" | "clock">,
): Promise<void> {
  if (session === null) return;
  const expiresAt = session.startedAt + SESSION_LIFETIME_MS;
  await control.endedSessions.end({ id: session.id, expiresAt }, clock.now());
}
