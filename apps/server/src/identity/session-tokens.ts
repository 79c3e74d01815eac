import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
} from "node:crypto";
import type { Clock, ExternalMember, Identity, Person, Role, Session } from "@assay/domain";
import { decodeJwt, type JWTPayload, SignJWT } from "jose";
import { damaged } from "../data-folder/data-folder.ts";
import { DEFAULT_CLAIMS } from "../settings/identity-settings.ts";
import { readMembership, readOrgId, readPerson } from "./read-claims.ts";
import { invalidToken, verifyToken } from "./verify-token.ts";

const OWN_ISSUER = "https://assay.local";
/** A session ends after this long without use… */
export const SESSION_IDLE_MS = 12 * 3_600_000;
/** …and this long after the sign-in, even if in use. */
export const SESSION_LIFETIME_MS = 30 * 24 * 3_600_000;

/** The content of a session token of this installation. */
export interface TokenSubject {
  readonly externalUserId: string;
  readonly email: string;
  readonly isEmailVerified: boolean;
  readonly name: string;
  /** Absent, as the rest: a platform owner who belongs to no org. */
  readonly externalOrgId?: string;
  readonly role?: Role;
  readonly orgName?: string;
  /** The session to continue; a new one when absent. */
  readonly session?: Pick<Session, "id" | "startedAt"> | null;
}

/** Signs and verifies the tokens of this installation's own sessions. */
export interface SessionTokens {
  issue(subject: TokenSubject): Promise<string>;
  /** Throws `invalid-credential`. */
  verify(token: string): Promise<Identity>;
  verifyPerson(token: string): Promise<Person & Partial<ExternalMember>>;
}

interface TokenRules {
  /** Tokens from before a change of identity have another audience and are refused. */
  readonly audience: string;
  /** Whether every sign-in verified the email. Otherwise the token says whether it is verified. */
  readonly vouchesForEmails: boolean;
}

/** Makes an Ed25519 signing key in PKCS #8 PEM. */
export function makeSigningKey(): Buffer {
  const { privateKey } = generateKeyPairSync("ed25519");
  return Buffer.from(privateKey.export({ type: "pkcs8", format: "pem" }));
}

/** Makes the tokens of own sessions from the installation's signing key (PKCS #8 PEM, Ed25519). */
export function sessionTokens(signingKeyPem: Buffer, rules: TokenRules, clock: Clock): SessionTokens {
  const privateKey = readSigningKey(signingKeyPem);
  const publicKey = createPublicKey(privateKey);
  const expected = {
    algorithms: ["EdDSA"],
    issuer: OWN_ISSUER,
    audience: rules.audience,
    key: async () => publicKey,
  };
  const toPerson = (claims: JWTPayload) => readOwnPerson(claims, rules, clock);
  return {
    issue: (subject) => issue(subject, { key: privateKey, audience: rules.audience, clock }),
    async verify(token) {
      const claims = await verifyToken(token, expected, clock);
      return { ...toPerson(claims), ...readMembership(claims, DEFAULT_CLAIMS) };
    },
    async verifyPerson(token) {
      const claims = await verifyToken(token, expected, clock);
      return { ...toPerson(claims), ...readOrgId(claims, DEFAULT_CLAIMS) };
    },
  };
}

/** Whether a token, verified or not, claims to be signed by this installation. */
export function isOwnToken(token: string): boolean {
  try {
    return decodeJwt(token).iss === OWN_ISSUER;
  } catch {
    return false;
  }
}

function readSigningKey(pem: Buffer): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    throw damaged("identity.key", error);
  }
}

interface Signing {
  readonly key: KeyObject;
  readonly audience: string;
  readonly clock: Clock;
}

function issue(subject: TokenSubject, { key, audience, clock }: Signing): Promise<string> {
  const { email, isEmailVerified, name, role, externalOrgId, orgName } = subject;
  const now = clock.now();
  const { id, startedAt } = subject.session ?? { id: randomUUID(), startedAt: now };
  const org = { org_id: externalOrgId, org_role: role, org_name: orgName };
  return new SignJWT({
    email,
    email_verified: isEmailVerified,
    name,
    ...org,
    auth_time: toSeconds(startedAt),
  })
    .setProtectedHeader({ alg: "EdDSA", typ: "JWT" })
    .setSubject(subject.externalUserId)
    .setIssuer(OWN_ISSUER)
    .setAudience(audience)
    .setJti(id)
    .setIssuedAt(toSeconds(now))
    .setExpirationTime(toSeconds(Math.min(now + SESSION_IDLE_MS, startedAt + SESSION_LIFETIME_MS)))
    .sign(key);
}

/** Dates a renewed token by its sign-in, because it contains nothing newer: it must not override later updates. */
function readOwnPerson(claims: JWTPayload, { vouchesForEmails }: TokenRules, clock: Clock): Person {
  const read = readPerson(claims, DEFAULT_CLAIMS);
  const person = { ...read, isEmailVerified: vouchesForEmails || read.isEmailVerified };
  const session = readSession(claims);
  if (session === null) return { ...person, session };
  if (clock.now() >= session.endsAt) throw invalidToken("The session began 30 days ago: sign in again.");
  return { ...person, issuedAt: session.startedAt, session };
}

/** Reads the session; null for a token of an earlier version, which cannot be ended or renewed and lasts 12 hours. */
function readSession({ jti, auth_time: signedInAt }: JWTPayload): Session | null {
  if (typeof jti !== "string" || typeof signedInAt !== "number") return null;
  const startedAt = signedInAt * 1000;
  return { id: jti, isOwn: true, startedAt, endsAt: startedAt + SESSION_LIFETIME_MS };
}

function toSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}
