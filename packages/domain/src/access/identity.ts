import type { Role } from "./roles.ts";

/** What a verified session token says; a first one provisions what is missing (contract §3). */
export interface Identity {
  readonly externalUserId: string;
  readonly externalOrgId: string;
  /** Null: the token does not say. */
  readonly orgName: string | null;
  readonly role: Role;
  /** Lower case; null when the token carries none, or says that it is not verified. */
  readonly email: string | null;
  readonly name: string | null;
  /** Epoch milliseconds: a newer word counts over an older one's. */
  readonly issuedAt: number;
  /** The session that the token belongs to; null where the provider ends its sessions itself. */
  readonly session: {
    readonly id: string;
    /** When the person signed in, epoch milliseconds. */
    readonly startedAt: number;
  } | null;
}
