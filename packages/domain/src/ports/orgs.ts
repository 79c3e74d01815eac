import type { Role } from "../access/roles.ts";

export interface Org {
  readonly id: string;
  readonly externalId: string;
  readonly name: string;
  /** Grows with every change that clients must hear of. */
  readonly configVersion: number;
  readonly createdAt: number;
}

export interface User {
  readonly id: string;
  readonly externalId: string;
  readonly email: string;
  readonly name: string;
}

/** What a verified session token says; the first one provisions what is missing (contract §3). */
export interface Identity {
  readonly externalUserId: string;
  readonly externalOrgId: string;
  readonly orgName: string | null;
  readonly role: Role;
  readonly email: string;
  readonly name: string;
  /** When the token was issued, epoch milliseconds: a newer token's role wins over an older one's. */
  readonly issuedAt: number;
}

export interface Membership {
  readonly orgId: string;
  readonly userId: string;
  readonly role: Role;
}

export interface OrgStore {
  /** Finds or creates user, org and membership; a role change applies when the token is at least as new as the membership. */
  provision(identity: Identity, now: number): Promise<Membership>;
  find(orgId: string): Promise<Org | null>;
  list(): Promise<readonly Org[]>;
  findUser(userId: string): Promise<User | null>;
  findUserByExternalId(externalId: string): Promise<User | null>;
  listMembers(orgId: string): Promise<readonly (User & { readonly role: Role })[]>;
  /** Raises the org's config version by one and returns it. */
  bumpConfigVersion(orgId: string): Promise<number>;
}

/** A one-time link: the start-up ticket of the owner, or an invitation. Only the token's SHA-256 (hex) is stored. */
export interface SignInLink {
  readonly tokenHash: string;
  readonly externalOrgId: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly expiresAt: number;
}

export interface SignInLinkStore {
  create(link: SignInLink): Promise<void>;
  /** Takes the link for good; null when it is unknown, used or expired. Two callers cannot both get it. */
  redeem(tokenHash: string, now: number): Promise<SignInLink | null>;
}
