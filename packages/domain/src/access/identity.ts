import type { Role } from "./roles.ts";

/** The person that a verified session token identifies, whatever the org. */
export interface Person {
  readonly externalUserId: string;
  /** ASCII letters in lower case. Null if the token has no email, or says that it is not verified. */
  readonly email: string | null;
  /** Whether the token says so, or this installation signed in the mailbox's owner. Rights granted by email require it. */
  readonly isEmailVerified: boolean;
  readonly name: string | null;
  /** Epoch milliseconds. A newer token's statements replace an older one's. */
  readonly issuedAt: number;
  /** The session that the token belongs to; null for a token of an earlier version, which has no session. */
  readonly session: Session | null;
}

/** A session that this installation can end before its tokens expire. */
export interface Session {
  readonly id: string;
  /** Whether this installation signed the token. A provider's token is a session by itself. */
  readonly isOwn: boolean;
  /** When the person signed in or the provider issued the token, epoch milliseconds. */
  readonly startedAt: number;
  /** From then on, all of its tokens have expired. */
  readonly endsAt: number;
}

/** A person in an org as a session token describes them. The first token creates the missing user, org or membership (contract §3). */
export interface Identity extends Person {
  readonly externalOrgId: string;
  /** Null: not in the token. */
  readonly orgName: string | null;
  readonly role: Role;
  /** Whether the token names the role. If not, `role` is the role for newcomers, and existing members keep theirs. */
  readonly isRoleNamed: boolean;
}
