import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
} from "node:crypto";
import type { Caller, Clock, Identity, Person, Session } from "@assay/domain";
import { decodeJwt, type JWTPayload, SignJWT } from "jose";
import { damaged } from "../data-folder/data-folder.ts";
import type { Deps } from "../deps.ts";
import type { LocalIdentity, SessionSubject } from "./identity-provider.ts";
import { readMembership, readOrgId, readPerson } from "./read-claims.ts";
import { invalidToken, verifyToken } from "./verify-token.ts";

const LOCAL_ISSUER = "https://assay.local";
const LOCAL_AUDIENCE = "assay";
/** The org and the owner that the first start creates. */
export const LOCAL_ORG = { externalId: "local", name: "My organization" } as const;
export const LOCAL_OWNER = { email: "owner@assay.local", name: "Owner" } as const;
/** A session ends after this long without use… */
export const SESSION_IDLE_MS = 12 * 3_600_000;
/** …and this long after the sign-in, even if in use. */
export const SESSION_LIFETIME_MS = 30 * 24 * 3_600_000;
/** A token younger than this is not renewed, so that not every answer carries a cookie. */
const RENEW_AFTER_MS = 3_600_000;

/** Makes an Ed25519 signing key in PKCS #8 PEM. */
export function makeSigningKey(): Buffer {
  const { privateKey } = generateKeyPairSync("ed25519");
  return Buffer.from(privateKey.export({ type: "pkcs8", format: "pem" }));
}

/** Makes the local identity from its signing key (PKCS #8 PEM, Ed25519). */
export function localIdentity(signingKeyPem: Buffer, clock: Clock): LocalIdentity {
  const privateKey = readSigningKey(signingKeyPem);
  const publicKey = createPublicKey(privateKey);
  const expected = {
    algorithms: ["EdDSA"],
    issuer: LOCAL_ISSUER,
    audience: LOCAL_AUDIENCE,
    key: async () => publicKey,
  };
  return {
    kind: "local",
    issue: (subject) => issue(subject, privateKey, clock),
    async verify(token) {
      const claims = await verifyToken(token, expected, clock);
      return { ...toPerson(claims, clock), ...readMembership(claims) };
    },
    async verifyPerson(token) {
      const claims = await verifyToken(token, expected, clock);
      return { ...toPerson(claims, clock), ...readOrgId(claims) };
    },
  };
}

function readSigningKey(pem: Buffer): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    throw damaged("identity.key", error);
  }
}

/** Builds the external id of a person of the local identity, whom the email identifies. */
export function localSubject(email: string): string {
  return `local|${email.toLowerCase()}`;
}

function issue(subject: SessionSubject, key: KeyObject, clock: Clock): Promise<string> {
  const { email, name, role, externalOrgId } = subject;
  const now = clock.now();
  const { id, startedAt } = subject.session ?? { id: randomUUID(), startedAt: now };
  const claims = { email, name, org_id: externalOrgId, org_role: role, org_name: orgName(externalOrgId) };
  return new SignJWT({ ...claims, auth_time: toSeconds(startedAt) })
    .setProtectedHeader({ alg: "EdDSA", typ: "JWT" })
    .setSubject(localSubject(email))
    .setIssuer(LOCAL_ISSUER)
    .setAudience(LOCAL_AUDIENCE)
    .setJti(id)
    .setIssuedAt(toSeconds(now))
    .setExpirationTime(toSeconds(Math.min(now + SESSION_IDLE_MS, startedAt + SESSION_LIFETIME_MS)))
    .sign(key);
}

/** Names an org of the local identity. Orgs made by a token of the command line are named by their id. */
export function orgName(externalOrgId: string): string {
  return externalOrgId === LOCAL_ORG.externalId ? LOCAL_ORG.name : externalOrgId;
}

/** Dates a renewed token by its sign-in, because it contains nothing newer: it must not override later updates. */
function toPerson(claims: JWTPayload, clock: Clock): Person {
  // A link signs in whoever reads the mailbox, or whom an admin trusts with it.
  const person = { ...readPerson(claims), isEmailVerified: true };
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

interface UsedSession {
  /** A verified token. */
  readonly token: string;
  readonly identity: Identity;
  readonly caller: Caller;
}

/** Issues a fresh token for an active session, with the current role; null when the present token will do. */
export async function renewSession(
  { token, identity: { session, externalOrgId }, caller: { email, name, role } }: UsedSession,
  { identity, clock }: Pick<Deps, "identity" | "clock">,
): Promise<string | null> {
  if (identity.kind !== "local" || session === null) return null;
  const issuedAt = (decodeJwt(token).iat ?? 0) * 1000;
  if (clock.now() - issuedAt < RENEW_AFTER_MS) return null;
  return identity.issue({ email, name, role, externalOrgId, session });
}
