import { createHash } from "node:crypto";
import { type Clock, DomainError, type Session } from "@assay/domain";
import {
  createRemoteJWKSet,
  customFetch,
  errors,
  type FetchImplementation,
  type JWTPayload,
  type JWTVerifyGetKey,
} from "jose";
import type { ProviderSettings } from "../settings/identity-settings.ts";
import type { ProviderIdentity, SignIn } from "./identity-provider.ts";
import { readMembership, readOrgId, readPerson } from "./read-claims.ts";
import { isOwnToken } from "./session-tokens.ts";
import { invalidToken, verifyToken } from "./verify-token.ts";

/** Only asymmetric ones: with a shared secret, every verifier could also sign (contract §3). */
const ALGORITHMS = ["RS256", "ES256", "EdDSA"];
const KEYS_TIMEOUT_MS = 5_000;
/** An unknown key id causes the provider's keys to be fetched again, at most this often. */
const COOL_DOWN_MS = 30_000;
/** How long fetched keys are used. After this, a withdrawn key is refused. */
const KEYS_KEPT_MS = 10 * 60_000;
/** The pause after a failed fetch, so that a provider's rate limit has time to end. */
const FAILURE_PAUSE_MS = 1_000;
const RETRY_SECONDS = 5;
/** A provider may sign tokens that last for years, so their holders need a fresh one once a day. */
const MAX_TOKEN_AGE_SECONDS = 86_400;

/**
 * Makes the identity of a provider that signs sessions (Clerk, or any that publishes its keys as a JWKS). With
 * `signIn`, it also accepts the sessions that this installation signs after a sign-in at the provider.
 */
export function providerIdentity(
  settings: ProviderSettings,
  clock: Clock,
  signIn: SignIn | null = null,
): ProviderIdentity {
  const { kind, issuer, audience, jwksUrl, webhookSecret, claims: names } = settings;
  const key = providerKeys(jwksUrl, clock);
  const expected = { algorithms: ALGORITHMS, issuer, audience, key, maxAgeSeconds: MAX_TOKEN_AGE_SECONDS };
  const read = async (token: string) => {
    const claims = await verifyToken(token, expected, clock);
    if (kind === "clerk") rejectPending(claims);
    return claims;
  };
  return {
    kind,
    issuer,
    claims: names,
    signIn,
    webhookSecret,
    async verify(token) {
      if (signIn !== null && isOwnToken(token)) return signIn.tokens.verify(token);
      const claims = await read(token);
      const session = tokenSession(token, claims);
      return { ...readPerson(claims, names), ...readMembership(claims, names), session };
    },
    async verifyPerson(token) {
      if (signIn !== null && isOwnToken(token)) return signIn.tokens.verifyPerson(token);
      const claims = await read(token);
      const session = tokenSession(token, claims);
      return { ...readPerson(claims, names), ...readOrgId(claims, names), session };
    },
  };
}

/**
 * A provider's token is a session of its own, which a sign-out ends here. Only the provider can end its own session,
 * which may sign a fresh token.
 */
function tokenSession(token: string, { iat = 0 }: JWTPayload): Session {
  const id = `token ${createHash("sha256").update(token).digest("hex")}`;
  return { id, isOwn: false, startedAt: iat * 1000, endsAt: (iat + MAX_TOKEN_AGE_SECONDS) * 1000 };
}

/** Clerk issues a token even before its holder has chosen an organization or set up a second factor. */
function rejectPending({ sts: status }: JWTPayload): void {
  if (status === "pending") throw invalidToken("The sign-in is not complete: finish it at Clerk.");
}

/** Finds the provider's key that a token names. Throws `identity-unavailable` when the keys cannot be fetched. */
function providerKeys(jwksUrl: string, clock: Clock): JWTVerifyGetKey {
  const keys = createRemoteJWKSet(new URL(jwksUrl), {
    timeoutDuration: KEYS_TIMEOUT_MS,
    cooldownDuration: COOL_DOWN_MS,
    cacheMaxAge: KEYS_KEPT_MS,
    [customFetch]: pausingFetch(clock),
  });
  return async (header, token) => {
    try {
      return await keys(header, token);
    } catch (error) {
      throw isAboutToken(error) ? error : unavailable(error);
    }
  };
}

function isAboutToken(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  );
}

function unavailable(cause: unknown): DomainError {
  return new DomainError(
    "identity-unavailable",
    "The identity provider's public keys cannot be fetched, so sessions cannot be verified. Try again.",
    { retryAfterSeconds: RETRY_SECONDS, cause },
  );
}

/** jose has at most one request in flight, so one variable is enough. */
function pausingFetch(clock: Clock): FetchImplementation {
  let pausedUntil = 0;
  return async (url, options) => {
    if (clock.now() < pausedUntil) throw new Error("The identity provider failed a moment ago.");
    pausedUntil = clock.now() + FAILURE_PAUSE_MS;
    const response = await fetch(url, options);
    if (response.status === 200) pausedUntil = 0;
    return response;
  };
}
