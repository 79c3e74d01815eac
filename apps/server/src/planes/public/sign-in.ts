import { DomainError, type Session } from "@assay/domain";
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import type { Deps } from "../../deps.ts";
import { findSessionToken, rejectForeignOrigin } from "../../http/authenticate.ts";
import { endedSessionCookie, sessionCookie } from "../../http/session-cookie.ts";
import { compileCheck, rejectBody } from "../../http/validate.ts";
import type { IdentityProvider, LocalIdentity } from "../../identity/identity-provider.ts";
import { redeemSignInToken } from "../../identity/sign-in-links.ts";

const check = compileCheck(
  Type.Object({ ticket: Type.String({ minLength: 1, maxLength: 200 }) }, { additionalProperties: false }),
);

/** Serves sign-in by links where sessions are signed here, sign-out, and who signs sessions. */
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
    return reply.header("set-cookie", sessionCookie(token, request)).code(204).send();
  });
  app.post("/auth/sign-out", async (request, reply) => {
    const found = findSessionToken(request);
    if (found === null || found.isCookie) rejectForeignOrigin(request);
    if (found !== null) await endSession(await verifyQuietly(found.token, deps.identity), deps);
    return reply.header("set-cookie", endedSessionCookie()).code(204).send();
  });
}

/** Throws `members-elsewhere` where another provider signs the sessions. */
function getLocal(identity: IdentityProvider): LocalIdentity {
  if (identity.kind === "local") return identity;
  throw new DomainError(
    "members-elsewhere",
    `Sessions of this installation come from ${identity.issuer}: sign in there.`,
  );
}

/** Returns null for a token that is no longer valid: there is no session to end. */
async function verifyQuietly(token: string, identity: IdentityProvider): Promise<Session | null> {
  try {
    return (await identity.verifyPerson(token)).session;
  } catch (error) {
    if (error instanceof DomainError && error.kind === "invalid-credential") return null;
    throw error;
  }
}

/** Ends the session for every copy of its token and every token that renewed it. */
async function endSession(
  session: Session | null,
  { control, clock }: Pick<Deps, "control" | "clock">,
): Promise<void> {
  if (session === null) return;
  await control.endedSessions.end({ id: session.id, expiresAt: session.endsAt }, clock.now());
}
