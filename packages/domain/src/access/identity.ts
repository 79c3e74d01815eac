import type { Role } from "./roles.ts";

/** Whom a verified session token is about, in whatever org. */
export interface Person {
  readonly externalUserId: string;
  /** ASCII letters in lower case; null when the token carries none, or says that it is not verified. */
  readonly email: string | null;
  /** Whether the token says so, or this installation signed in the owner of the mailbox. Rights that hang on an email need it. */
  readonly isEmailVerified: boolean;
  readonly name: string | null;
  /** Epoch milliseconds: a newer word counts over an older one's. */
  readonly issuedAt: number;
  /** The session that the token belongs to; null for a token of an earlier version, which belongs to none. */
  readonly session: Session | null;
}

/** A session that can be ended here before its tokens expire. */
export interface Session {
  readonly id: string;
  /** Whether this installation signed the token. A provider's token is a session by itself. */
  readonly isOwn: boolean;
  /** When the person signed in, or the provider issued the token: epoch milliseconds. */
  readonly startedAt: number;
  /** From when on none of its tokens is accepted anyway. */
  readonly endsAt: number;
}

/** What a session token says of a person in an org; a first one provisions what is missing (contract §3). */
export interface Identity extends Person {
  readonly externalOrgId: string;
  /** Null: the token does not say. */
  readonly orgName: string | null;
  readonly role: Role;
  /** Whether the token names the role. If not, `role` is the one that newcomers get, and a member keeps theirs. */
  readonly isRoleNamed: boolean;
}
