import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { type Clock, type Identity, parseRole, type Role } from "@assay/domain";
import { errors, jwtVerify, SignJWT } from "jose";
import { damaged } from "../data-folder/data-folder.ts";

export const LOCAL_ISSUER = "https://assay.local";
export const LOCAL_AUDIENCE = "assay";
/** The org and the owner that the first start makes. */
export const LOCAL_ORG = { externalId: "local", name: "My organisation" } as const;
export const LOCAL_OWNER = { email: "owner@assay.local", name: "Owner" } as const;
export const SESSION_SECONDS = 12 * 3600;
const CLOCK_TOLERANCE_SECONDS = 5;

/** Whom a session token of the local identity is for. */
export interface SessionSubject {
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly externalOrgId: string;
}

/** Signs and verifies session tokens. */
export interface SessionTokens {
  issue(subject: SessionSubject): Promise<string>;
  /** Null when the token is not a valid session token. */
  verify(token: string): Promise<Identity | null>;
}

/** Makes an Ed25519 signing key in PKCS #8 PEM. */
export function makeSigningKey(): Buffer {
  const { privateKey } = generateKeyPairSync("ed25519");
  return Buffer.from(privateKey.export({ type: "pkcs8", format: "pem" }));
}

/** Makes the local identity's tokens from its signing key (PKCS #8 PEM, Ed25519). */
export function localSessionTokens(signingKeyPem: Buffer, clock: Clock): SessionTokens {
  const privateKey = readSigningKey(signingKeyPem);
  const publicKey = createPublicKey(privateKey);
  return {
    issue: (subject) => issue(subject, privateKey, clock),
    verify: (token) => verify(token, publicKey, clock),
  };
}

function readSigningKey(pem: Buffer): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    throw damaged("identity.key", error);
  }
}

/** The external id of a person of the local identity: the email is the person. */
export function localSubject(email: string): string {
  return `local|${email.toLowerCase()}`;
}

function issue(
  { email, name, role, externalOrgId }: SessionSubject,
  key: KeyObject,
  clock: Clock,
): Promise<string> {
  const now = Math.floor(clock.now() / 1000);
  return new SignJWT({ email, name, org_id: externalOrgId, org_role: role })
    .setProtectedHeader({ alg: "EdDSA", typ: "JWT" })
    .setSubject(localSubject(email))
    .setIssuer(LOCAL_ISSUER)
    .setAudience(LOCAL_AUDIENCE)
    .setIssuedAt(now)
    .setExpirationTime(now + SESSION_SECONDS)
    .sign(key);
}

async function verify(token: string, key: KeyObject, clock: Clock): Promise<Identity | null> {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: ["EdDSA"],
      issuer: LOCAL_ISSUER,
      audience: LOCAL_AUDIENCE,
      requiredClaims: ["sub", "exp", "iat"],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(clock.now()),
    });
    return toIdentity(payload);
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}

function toIdentity(claims: Readonly<Record<string, unknown>>): Identity | null {
  const { sub, org_id: orgId, org_role: orgRole, email, name, iat } = claims;
  const role = typeof orgRole === "string" ? parseRole(orgRole) : null;
  if (typeof sub !== "string" || typeof orgId !== "string" || role === null || typeof iat !== "number")
    return null;
  if (typeof email !== "string") return null;
  return {
    externalUserId: sub,
    externalOrgId: orgId,
    orgName: orgId === LOCAL_ORG.externalId ? LOCAL_ORG.name : null,
    role,
    email: email.toLowerCase(),
    name: typeof name === "string" && name !== "" ? name : email,
    issuedAt: iat * 1000,
  };
}
