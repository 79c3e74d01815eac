import { type Clock, DomainError } from "@assay/domain";
import * as oidc from "openid-client";
import type { ClientSettings } from "../settings/identity-settings.ts";
import { invalidToken } from "./verify-token.ts";

const TIMEOUT_SECONDS = 5;
/** How long the provider's addresses are kept before they are read again. */
const METADATA_KEPT_MS = 3_600_000;
const RETRY_SECONDS = 5;
const MAX_REASON = 500;
/** Errors of a token endpoint that concern the person's grant. Others concern us or the provider's health. */
const GRANT_ERRORS = [
  "invalid_grant",
  "access_denied",
  "interaction_required",
  "login_required",
  "consent_required",
];

/** What a browser keeps during the sign-in at the provider, and sends when it comes back. */
export interface SignInFlow {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly redirectUri: string;
  /** The page to open afterwards: a path of this installation. */
  readonly returnTo: string;
  readonly startedAt: number;
  /** Whether the provider had to ask for the password again. */
  readonly isFresh: boolean;
}

/** The provider's data about a person. */
export interface Grant {
  /** The claims of the ID token, plus those of the userinfo endpoint that the ID token lacks. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** Null when the provider gives none. */
  readonly refreshToken: string | null;
}

/** Signs people in at an OpenID provider by the authorization code flow with PKCE. All methods throw `identity-unavailable`. */
export interface OidcClient {
  /** Starts a sign-in; the browser goes to the address. */
  begin(
    start: Pick<SignInFlow, "redirectUri" | "returnTo" | "isFresh">,
  ): Promise<{ readonly url: string; readonly flow: SignInFlow }>;
  /** Ends the sign-in with the parameters that the browser brings back. Throws `invalid-credential`. */
  finish(search: string, flow: SignInFlow): Promise<Grant>;
  /** Checks whether a grant is still valid; null when it is not. */
  refresh(refreshToken: string, subject: string): Promise<Grant | null>;
}

/** Makes the client of a provider, whose addresses are discovered at their first use. */
export function oidcClient(issuer: string, settings: ClientSettings, clock: Clock): OidcClient {
  const configuration = discovered(issuer, settings, clock);
  return {
    async begin({ redirectUri, returnTo, isFresh }) {
      const config = await configuration();
      const flow = {
        ...{ state: oidc.randomState(), nonce: oidc.randomNonce(), verifier: oidc.randomPKCECodeVerifier() },
        ...{ redirectUri, returnTo, isFresh, startedAt: clock.now() },
      };
      const url = oidc.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: settings.scopes,
        state: flow.state,
        nonce: flow.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: "S256",
        ...(isFresh ? { prompt: "login", max_age: "0" } : {}),
      });
      return { url: url.href, flow };
    },
    async finish(search, { state, nonce, verifier, redirectUri, isFresh }) {
      const config = await configuration();
      const url = new URL(redirectUri);
      url.search = search;
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier };
      try {
        const tokens = await oidc.authorizationCodeGrant(config, url, {
          ...{ ...checks, idTokenExpected: true },
          ...(isFresh ? { maxAge: 60 } : {}),
        });
        return await toGrant(tokens, { config, now: clock.now(), subject: null });
      } catch (error) {
        throw isOutage(error) ? unavailable(error) : refused(error);
      }
    },
    async refresh(refreshToken, subject) {
      const config = await configuration();
      try {
        const tokens = await oidc.refreshTokenGrant(config, refreshToken);
        const grant = await toGrant(tokens, { config, now: clock.now(), subject });
        return { ...grant, refreshToken: grant.refreshToken ?? refreshToken };
      } catch (error) {
        if (isEndedGrant(error)) return null;
        throw unavailable(error);
      }
    },
  };
}

type Tokens = Awaited<ReturnType<typeof oidc.authorizationCodeGrant>>;

interface GrantContext {
  readonly config: oidc.Configuration;
  readonly now: number;
  /** The user whose grant it must be; null accepts anybody who signed in. */
  readonly subject: string | null;
}

async function toGrant(tokens: Tokens, { config, now, subject }: GrantContext): Promise<Grant> {
  const idToken = tokens.claims();
  const sub = idToken?.sub ?? subject;
  if (sub === null || (subject !== null && sub !== subject))
    throw invalidToken("The identity provider answered for another person: sign in again.");
  const hasMore = config.serverMetadata().userinfo_endpoint !== undefined;
  const more = hasMore ? await oidc.fetchUserInfo(config, tokens.access_token, sub) : {};
  return {
    // Dated by this clock, because the answer is current. The provider's clock may lag behind changes that were made here.
    claims: { ...more, ...given(idToken), sub, iat: Math.floor(now / 1000) },
    refreshToken: tokens.refresh_token ?? null,
  };
}

/** The claims that have a value. A provider may write null for claims that only its userinfo endpoint has. */
function given(claims: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== null));
}

/** Discovers the provider's addresses once for many requests, and again after an hour. An outage keeps the known ones. */
function discovered(
  issuer: string,
  settings: ClientSettings,
  clock: Clock,
): () => Promise<oidc.Configuration> {
  let known: { readonly config: oidc.Configuration; readonly until: number } | null = null;
  let asking: Promise<oidc.Configuration> | null = null;
  const ask = async () => {
    try {
      const config = await discover(issuer, settings);
      known = { config, until: clock.now() + METADATA_KEPT_MS };
      return config;
    } catch (error) {
      if (known !== null) return known.config;
      throw unavailable(error);
    } finally {
      asking = null;
    }
  };
  return () => {
    if (known !== null && clock.now() < known.until) return Promise.resolve(known.config);
    asking ??= ask();
    return asking;
  };
}

function discover(issuer: string, { id, secret }: ClientSettings): Promise<oidc.Configuration> {
  const authentication = secret === null ? oidc.None() : oidc.ClientSecretBasic(secret);
  // The operator wrote http:// into the settings; over https:// the library refuses to leave TLS.
  const insecure = issuer.startsWith("http:") ? [oidc.allowInsecureRequests] : [];
  return oidc.discovery(new URL(issuer), id, undefined, authentication, {
    timeout: TIMEOUT_SECONDS,
    execute: [...insecure, oidc.enableNonRepudiationChecks],
  });
}

function isEndedGrant(error: unknown): boolean {
  if (error instanceof DomainError) return error.kind === "invalid-credential"; // Answered for another person.
  return error instanceof oidc.ResponseBodyError && GRANT_ERRORS.includes(error.error);
}

/** Whether the provider or the connection to it failed, as opposed to a refusal. */
function isOutage(error: unknown): boolean {
  if (error instanceof oidc.ResponseBodyError) return error.status >= 500;
  if (error instanceof TypeError) return true;
  return (
    error instanceof oidc.ClientError &&
    ["OAUTH_TIMEOUT", "OAUTH_ABORT", "OAUTH_RESPONSE_IS_NOT_CONFORM", "OAUTH_RESPONSE_IS_NOT_JSON"].includes(
      error.code ?? "",
    )
  );
}

/** Why a sign-in failed, for the log: the provider's answer, or what it lacks. */
export function reasonOf(problem: DomainError): string {
  const said: (string | undefined)[] = [];
  for (let cause = problem.cause; cause instanceof Error; cause = cause.cause) {
    said.push(cause.message);
    if (cause instanceof oidc.ResponseBodyError || cause instanceof oidc.AuthorizationResponseError)
      said.push(cause.error, cause.error_description);
  }
  return [...new Set(said)].filter(Boolean).join(": ").slice(0, MAX_REASON) || problem.message;
}

function unavailable(cause: unknown): DomainError {
  return new DomainError(
    "identity-unavailable",
    "The identity provider does not answer, so nobody can be signed in there. Try again.",
    { retryAfterSeconds: RETRY_SECONDS, cause },
  );
}

function refused(cause: unknown): DomainError {
  if (cause instanceof DomainError) return cause;
  return new DomainError(
    "invalid-credential",
    "The identity provider refused the sign-in, or its answer belongs to another sign-in. Sign in again.",
    { cause },
  );
}
