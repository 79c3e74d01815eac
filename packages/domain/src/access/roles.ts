/** Roles of an org, weakest first. */
export const ROLES = ["member", "admin", "owner"] as const;
export type Role = (typeof ROLES)[number];

/** Returns whether `role` may do what `needed` may. */
export function roleAllows(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** Reads a role string of an identity provider: `admin` and `org:admin` are the same (contract §3). */
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
  /** When they last showed who they are, epoch milliseconds; null where it cannot be known: a provider's token, a machine. */
  readonly signedInAt: number | null;
  /** Whether their org requires a passkey that they have not used in this session yet. */
  readonly isPasskeyMissing: boolean;
}

/** The person behind a request that concerns the whole installation: they need no org and no seat. */
export interface PlatformCaller {
  /** The org in which their token makes them a member; null without one. */
  readonly orgId: string | null;
  /** The provider's id of the person for somebody whom no org has as a member yet. */
  readonly userId: string;
  readonly email: string;
  readonly name: string;
}
