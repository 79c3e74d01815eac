/** Roles of an org, weakest first. */
export const ROLES = ["member", "admin", "owner"] as const;
export type Role = (typeof ROLES)[number];

/** Returns whether `role` may do what `needed` may. */
export function roleAllows(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** Parses an identity provider's role string: `admin` and `org:admin` are the same (contract §3). */
export function parseRole(text: string): Role | null {
  const bare = text.startsWith("org:") ? text.slice(4) : text;
  return ROLES.find((role) => role === bare) ?? null;
}

/** The person behind a dashboard request. */
export interface Caller {
  readonly orgId: string;
  readonly userId: string;
  readonly role: Role;
  readonly email: string;
  readonly name: string;
  readonly isPlatformOwner: boolean;
  /** The session in use, if this installation signed it; null with a provider's token. */
  readonly sessionId: string | null;
  /** When they last proved their identity, epoch milliseconds; null if unknown: for a provider's token or a machine. */
  readonly signedInAt: number | null;
  /** Whether their org requires a passkey and they have not used one in this session yet. */
  readonly isPasskeyMissing: boolean;
}

/** The person behind a request about the whole installation. They need no org and no seat. */
export interface PlatformCaller {
  /** The org in which their token makes them a member; null without one. */
  readonly orgId: string | null;
  /** For a person who is not yet a member of any org, the provider's id. */
  readonly userId: string;
  readonly email: string;
  readonly name: string;
}
