import { randomUUID } from "node:crypto";
import { DomainError, installationBinding, isRecord, type SessionOwner } from "@assay/domain";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Deps } from "../../deps.ts";
import { localPath } from "../../http/local-path.ts";
import { ownOrigin } from "../../http/own-origin.ts";
import {
  FLOW_MS,
  flowCookie,
  readFlowCookie,
  readSessionCookie,
  sessionCookie,
} from "../../http/session-cookie.ts";
import { admitPerson, admitPlatformOwner, ownsPlatform } from "../../identity/admit-person.ts";
import type { ProviderIdentity, SignIn } from "../../identity/identity-provider.ts";
import { type Grant, reasonOf, type SignInFlow } from "../../identity/oidc-client.ts";
import { readMembership, readOrgId, readPerson } from "../../identity/read-claims.ts";
import type { TokenSubject } from "../../identity/session-tokens.ts";
import { endSession, recordSession } from "../../identity/sessions.ts";

export const START_PATH = "/auth/start";
const CALLBACK_PATH = "/auth/callback";
/** The purpose for which the cookie of a running sign-in is sealed. */
const FLOW_BINDING = installationBinding("sign-in-flow");

type SigningIn = ProviderIdentity & { readonly signIn: SignIn };

/**
 * Serves the sign-in at the provider by authorization code with PKCE. `GET /auth/start?return_to=/path` sends the browser there, and
 * `/auth/callback` makes a session from the result. After a failure, the browser is sent to the sign-in page, which explains it.
 */
export function registerProviderSignIn(app: FastifyInstance, deps: Deps): void {
  const options = { exposeHeadRoute: false };
  app.get(START_PATH, options, async (request, reply) => {
    const { client } = getSigningIn(deps).signIn;
    const query = request.query as Readonly<Record<string, unknown>>;
    return explaining({ request, reply, deps }, async () => {
      const { url, flow } = await client.begin({
        redirectUri: `${ownOrigin(request)}${CALLBACK_PATH}`,
        returnTo: localPath(query.return_to),
        isFresh: query.fresh === "true",
      });
      reply.header("set-cookie", flowCookie(deps.sealer.seal(JSON.stringify(flow), FLOW_BINDING), request));
      return url;
    });
  });
  app.get(CALLBACK_PATH, options, async (request, reply) => {
    const identity = getSigningIn(deps);
    reply.header("set-cookie", flowCookie("", request));
    return explaining({ request, reply, deps }, async () => {
      const flow = openFlow(readFlowCookie(request), deps);
      if (flow === null) return "/sign-in?error=sign-in-expired";
      const { search } = new URL(request.url, "http://localhost");
      const { token, orgId } = await startSession(await identity.signIn.client.finish(search, flow), {
        ...{ identity, request, deps },
      });
      reply.header("set-cookie", [...sessionCookie(token, request)]);
      // The dashboard's pages need an organization.
      return orgId === null ? "/sign-in?error=no-organization" : flow.returnTo;
    });
  });
}

function getSigningIn({ identity }: Deps): SigningIn {
  if (identity.kind !== "local" && identity.signIn !== null) return { ...identity, signIn: identity.signIn };
  throw new DomainError(
    "not-found",
    "This installation does not sign people in at a provider by itself: it needs ASSAY_IDENTITY=oidc and ASSAY_IDENTITY_CLIENT_ID.",
  );
}

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly deps: Deps;
}

/** Redirects to what `work` returns. The sign-in page gets only a problem's kind, so it never shows text from another site. */
async function explaining(
  { request, reply, deps }: Exchange,
  work: () => Promise<string>,
): Promise<FastifyReply> {
  try {
    return reply.redirect(await work(), 303);
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind === "internal") throw error;
    deps.security.refuse(error, request);
    request.log.warn(
      { problem: error.kind, reason: reasonOf(error) },
      "a sign-in at the identity provider failed",
    );
    return reply.redirect(`/sign-in?error=${error.kind}`, 303);
  }
}

/** Opens the cookie of a sign-in. Null unless this installation made it in the last ten minutes. */
function openFlow(
  sealed: string | null,
  { sealer, clock }: Pick<Deps, "sealer" | "clock">,
): SignInFlow | null {
  const text = sealed === null ? null : sealer.open(sealed, FLOW_BINDING);
  if (text === null) return null;
  const flow: unknown = parseQuietly(text);
  if (!isRecord(flow) || typeof flow.verifier !== "string" || typeof flow.startedAt !== "number") return null;
  return clock.now() - flow.startedAt <= FLOW_MS ? (flow as unknown as SignInFlow) : null;
}

function parseQuietly(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // Sealed by this installation, but another kind of text.
  }
}

interface Starting {
  readonly identity: SigningIn;
  readonly request: FastifyRequest;
  readonly deps: Deps;
}

interface Started extends Pick<SessionOwner, "orgId"> {
  readonly token: string;
}

/** Admits the person as the provider's token would. Starts a session signed here, which replaces this browser's previous one. */
async function startSession(grant: Grant, { identity, request, deps }: Starting): Promise<Started> {
  const { owner, subject } = await admit(grant, identity, deps);
  await endFormerSession(request, deps);
  const session = { id: randomUUID(), startedAt: Math.floor(deps.clock.now() / 1000) * 1000 };
  const userAgent = request.headers["user-agent"] ?? "";
  await recordSession(session, { owner, userAgent, refreshToken: grant.refreshToken }, deps);
  const { orgId, userId } = owner;
  deps.security.act({ name: "security.sign_in.accepted", orgId, actor: userId }, request);
  return { token: await identity.signIn.tokens.issue({ ...subject, session }), orgId };
}

interface Admitted {
  readonly owner: SessionOwner;
  readonly subject: TokenSubject;
}

async function admit({ claims }: Grant, { claims: names }: SigningIn, deps: Deps): Promise<Admitted> {
  const now = deps.clock.now();
  const session = { id: `sign-in ${randomUUID()}`, isOwn: false, startedAt: now, endsAt: now };
  const person = { ...readPerson(claims, names), session };
  const { externalUserId, isEmailVerified } = person;
  const inOrg = readOrgId(claims, names);
  if (inOrg.externalOrgId === undefined && ownsPlatform(person, deps)) {
    const { orgId, userId, email, name } = await admitPlatformOwner(person, deps);
    return { owner: { orgId, userId }, subject: { externalUserId, isEmailVerified, email, name } };
  }
  const membership = readMembership(claims, names);
  const { orgId, userId, role, email, name } = await admitPerson({ ...person, ...membership }, deps);
  const { externalOrgId, orgName } = membership;
  const org = { externalOrgId, role, ...(orgName === null ? {} : { orgName }) };
  return { owner: { orgId, userId }, subject: { externalUserId, isEmailVerified, email, name, ...org } };
}

async function endFormerSession(request: FastifyRequest, deps: Deps): Promise<void> {
  const token = readSessionCookie(request.headers.cookie);
  if (token === null) return;
  const former = await deps.identity.verifyPerson(token).catch(() => null);
  if (former?.session?.isOwn) await endSession(former.session, deps);
}
