import {
  asciiLowerCase,
  type ExternalMember,
  type Identity,
  isRecord,
  type Person,
  parseRole,
  ROLES,
  type Role,
} from "@assay/domain";
import { invalidToken } from "./verify-token.ts";

type Claims = Readonly<Record<string, unknown>>;

const MAX_ID_LENGTH = 255;
const MAX_TEXT_LENGTH = 1000;

/**
 * Reads the person from a verified token's claims (contract §3): `sub`, and the optional `email` (unless `email_verified` denies it) and
 * `name`. Throws an `invalid-credential` that names the bad claim.
 */
export function readPerson(claims: Claims): Omit<Person, "session"> {
  const email = readOptional(claims, "email");
  return {
    externalUserId: readId(claims.sub, "sub"),
    email: email !== null && !isDenied(claims) ? asciiLowerCase(email) : null,
    isEmailVerified: email !== null && isConfirmed(claims),
    name: readOptional(claims, "name"),
    issuedAt: Math.floor(Number(claims.iat) * 1000),
  };
}

/** Reads the org and the role in it: `org_id` and `org_role` or Clerk's `o.id` and `o.rol`, and the optional `org_name`. */
export function readMembership(claims: Claims): Omit<Identity, keyof Person> {
  return { ...readOrg(claims), orgName: readOptional(claims, "org_name") };
}

/** Reads the org if the claims name one, whatever the role. */
export function readOrgId(claims: Claims): Partial<ExternalMember> {
  const compact = isRecord(claims.o) ? claims.o : null;
  const id = claims.org_id ?? compact?.id;
  return id === undefined || id === null ? {} : { externalOrgId: readId(id, "org_id") };
}

function readOrg(claims: Claims): Pick<Identity, "externalOrgId" | "role"> {
  const compact = isRecord(claims.o) ? claims.o : null;
  if (claims.org_id === undefined && compact !== null)
    return { externalOrgId: readId(compact.id, "o.id"), role: readRole(compact.rol, "o.rol") };
  if (claims.org_id === undefined)
    throw invalidToken(
      "The session token names no organization: it needs the claims org_id and org_role, or Clerk's o.id and o.rol. " +
        "At Clerk, choose an organization first.",
    );
  return {
    externalOrgId: readId(claims.org_id, "org_id"),
    role: readRole(claims.org_role, "org_role"),
  };
}

/** A role that Assay does not know must never grant rights, so its holder is refused. */
function readRole(value: unknown, claim: string): Role {
  const role = typeof value === "string" ? parseRole(value) : null;
  if (role !== null) return role;
  const found = typeof value === "string" ? `"${value.slice(0, 100)}"` : "missing";
  throw invalidToken(
    `The session token's claim ${claim} is ${found}: it must be one of ${ROLES.join(", ")}, with or without org: before it.`,
  );
}

function readId(value: unknown, claim: string): string {
  if (isText(value) && value !== "" && value.length <= MAX_ID_LENGTH) return value;
  throw invalidToken(
    `The session token's claim ${claim} must be a text of 1 to ${MAX_ID_LENGTH} characters.`,
  );
}

/** A provider's template gives null or an empty text for unknown values. */
function readOptional(claims: Claims, claim: string): string | null {
  const value = claims[claim];
  if (value === undefined || value === null || value === "") return null;
  if (isText(value) && value.length <= MAX_TEXT_LENGTH) return value;
  throw invalidToken(
    `The session token's claim ${claim} must be a text of at most ${MAX_TEXT_LENGTH} characters.`,
  );
}

/** Some providers send the flag as text; some do not send it. */
function isConfirmed({ email_verified: flag }: Claims): boolean {
  return flag === true || flag === "true";
}

function isDenied(claims: Claims): boolean {
  return claims.email_verified !== undefined && !isConfirmed(claims);
}

/** Whether every engine stores the text as it is: PostgreSQL accepts no NUL, and none stores half a surrogate pair. */
function isText(value: unknown): value is string {
  return typeof value === "string" && !value.includes("\0") && value.isWellFormed();
}
