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
import type { ClaimSettings } from "../settings/identity-settings.ts";
import { invalidToken } from "./verify-token.ts";

type Claims = Readonly<Record<string, unknown>>;

const MAX_ID_LENGTH = 255;
const MAX_TEXT_LENGTH = 1000;

/**
 * Reads the person from a verified token's claims (contract §3): `sub`, and the optional email (unless `email_verified` denies it) and
 * name. Throws an `invalid-credential` that names the bad claim.
 */
export function readPerson(claims: Claims, names: ClaimSettings): Omit<Person, "session"> {
  const email = readOptional(claims, names.email);
  return {
    externalUserId: readId(claims.sub, "sub"),
    email: email !== null && !isDenied(claims) ? asciiLowerCase(email) : null,
    // The flag is about the claim `email` and no other.
    isEmailVerified: email !== null && names.email === "email" && isConfirmed(claims),
    name: readOptional(claims, names.name),
    issuedAt: Math.floor(Number(claims.iat) * 1000),
  };
}

/** Reads the org and the role in it, by the names of the settings or as Clerk's `o.id` and `o.rol`, and the optional `org_name`. */
export function readMembership(claims: Claims, names: ClaimSettings): Omit<Identity, keyof Person> {
  return { ...readOrg(claims, names), orgName: readOptional(claims, "org_name") };
}

/** Reads the org if the claims name one, whatever the role. */
export function readOrgId(claims: Claims, names: ClaimSettings): Partial<ExternalMember> {
  const compact = isRecord(claims.o) ? claims.o : null;
  const id = claimOf(claims, names.org) ?? compact?.id ?? names.defaultOrg;
  return id === undefined || id === null ? {} : { externalOrgId: readId(id, names.org) };
}

function readOrg(
  claims: Claims,
  names: ClaimSettings,
): Pick<Identity, "externalOrgId" | "role" | "isRoleNamed"> {
  const compact = isRecord(claims.o) ? claims.o : null;
  const named = claimOf(claims, names.org);
  if (named === undefined && compact !== null)
    return { externalOrgId: readId(compact.id, "o.id"), ...readRole(compact.rol, "o.rol", names) };
  const id = named ?? names.defaultOrg;
  if (id === undefined || id === null)
    throw invalidToken(
      `The session token names no organization: it needs the claims ${names.org} and ${names.role}, or Clerk's o.id and o.rol. ` +
        "At Clerk, choose an organization first.",
    );
  return {
    externalOrgId: readId(id, names.org),
    ...readRole(claimOf(claims, names.role), names.role, names),
  };
}

/** The holder of a role that Assay does not know is refused. In a list, which may contain any group, it is skipped. */
function readRole(
  value: unknown,
  claim: string,
  { roles, defaultRole }: ClaimSettings,
): Pick<Identity, "role" | "isRoleNamed"> {
  const known = (text: unknown) => (typeof text === "string" ? (roles.get(text) ?? parseRole(text)) : null);
  const given = Array.isArray(value) ? strongest(value.map(known)) : known(value);
  if (given !== null) return { role: given, isRoleNamed: true };
  if (typeof value !== "string" && defaultRole !== null) return { role: defaultRole, isRoleNamed: false };
  const found = typeof value === "string" ? `"${value.slice(0, 100)}"` : "missing or not a known role";
  throw invalidToken(
    `The session token's claim ${claim} is ${found}: it must be one of ${ROLES.join(", ")}, with or without the prefix org:, or a name from ASSAY_IDENTITY_ROLES.`,
  );
}

function strongest(roles: readonly (Role | null)[]): Role | null {
  return ROLES.toReversed().find((role) => roles.includes(role)) ?? null;
}

/** Finds a claim by its name, which may contain dots, or else by its path. */
function claimOf(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let found: unknown = claims;
  for (const part of name.split(".")) {
    if (!isRecord(found) || !Object.hasOwn(found, part)) return undefined;
    found = found[part];
  }
  return found;
}

function readId(value: unknown, claim: string): string {
  if (isText(value) && value !== "" && value.length <= MAX_ID_LENGTH) return value;
  throw invalidToken(
    `The session token's claim ${claim} must be a string of 1 to ${MAX_ID_LENGTH} characters.`,
  );
}

/** A provider's template gives null or an empty text for unknown values. */
function readOptional(claims: Claims, claim: string): string | null {
  const value = claimOf(claims, claim);
  if (value === undefined || value === null || value === "") return null;
  if (isText(value) && value.length <= MAX_TEXT_LENGTH) return value;
  throw invalidToken(
    `The session token's claim ${claim} must be a string of at most ${MAX_TEXT_LENGTH} characters.`,
  );
}

/** Some providers send the flag as text; some do not send it. */
function isConfirmed({ email_verified: flag }: Claims): boolean {
  return flag === true || flag === "true";
}

function isDenied(claims: Claims): boolean {
  return claims.email_verified !== undefined && !isConfirmed(claims);
}

/**
 * Whether every engine stores the text unchanged: PostgreSQL accepts no NUL, and no engine stores half a surrogate
 * pair.
 */
function isText(value: unknown): value is string {
  return typeof value === "string" && !value.includes("\0") && value.isWellFormed();
}
