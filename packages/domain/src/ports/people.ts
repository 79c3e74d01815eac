import type { Role } from "../access/roles.ts";
import type { Page, PageQuery } from "./page.ts";

/** Names a person in an org by the identity provider's ids. */
export interface ExternalMember {
  readonly externalUserId: string;
  readonly externalOrgId: string;
}

/**
 * What is said of a user, by a token or a webhook. Each part (existence, email, name) counts unless a word of a higher
 * `order` told that part before.
 */
export interface UserUpdate {
  readonly externalId: string;
  /** See `changeOrder`. */
  readonly order: number;
  /** Null: this word does not tell; what an older word told or will still tell stays. */
  readonly email: string | null;
  readonly name: string | null;
  readonly isDeleted: boolean;
}

export interface OrgUpdate {
  readonly externalId: string;
  readonly order: number;
  readonly name: string | null;
  readonly isDeleted: boolean;
}

export interface MembershipUpdate extends ExternalMember {
  readonly order: number;
  readonly role: Role;
  readonly isRemoved: boolean;
}

/** All that decides whether a person may enter an org. */
export interface Access {
  readonly orgId: string;
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  /** Of the newest word on the membership. */
  readonly order: number;
  readonly isRemoved: boolean;
  readonly isUserDeleted: boolean;
  readonly isOrgDeleted: boolean;
  /** Whether one of the plan's seats is theirs: from the first session on. */
  readonly hasSeat: boolean;
}

export interface Member {
  readonly userId: string;
  readonly externalId: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  /** Epoch milliseconds; null: known from the identity provider, and not here yet. */
  readonly joinedAt: number | null;
  readonly createdAt: number;
}

/**
 * Users, orgs and memberships as the identity provider tells of them. Of each only the newest word counts; different words
 * of one order end the same whichever comes last (of two on a membership: the removal, else the weaker role). The first
 * mention of an external id makes its row, whose id is ours for ever; email and name are empty until they are told.
 */
export interface PeopleStore {
  /** A deletion also erases email and name. */
  putUser(change: UserUpdate, now: number): Promise<void>;
  /** A deletion also raises the key epoch. */
  putOrg(change: OrgUpdate, now: number): Promise<void>;
  /** Makes the rows of a user and an org that nothing was said of yet. A removal gives the seat back. */
  putMembership(change: MembershipUpdate, now: number): Promise<void>;
  findAccess(member: ExternalMember): Promise<Access | null>;
  /** External ids of the orgs in which something was said of the user's membership, in one order for all. */
  listOrgsOf(externalUserId: string): Promise<readonly string[]>;
  /** Gives the member one of `seats` (null: no bound). False when all are taken, or who asks is no member. Lock the org first. */
  takeSeat(
    member: { readonly orgId: string; readonly userId: string },
    seats: number | null,
    now: number,
  ): Promise<boolean>;
  /** Members that have a seat. */
  countSeats(orgId: string): Promise<number>;
  /** Null when the user is no member, or was removed or deleted. */
  findMember(orgId: string, userId: string): Promise<Member | null>;
  /** Neither removed nor deleted, newest first. */
  listMembers(orgId: string, page: PageQuery): Promise<Page<Member>>;
  countOwners(orgId: string): Promise<number>;
}

/** A one-time link: the start-up ticket of the owner, or an invitation. Only the token's SHA-256 (hex) is stored. */
export interface SignInLink {
  readonly id: string;
  readonly kind: "ticket" | "invitation";
  readonly tokenHash: string;
  readonly externalOrgId: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface SignInLinkStore {
  /** Stores the link and forgets those that have expired by its `createdAt`. */
  create(link: SignInLink): Promise<void>;
  /** Null when it is unknown or expired. The link stays. */
  find(tokenHash: string, now: number): Promise<SignInLink | null>;
  /** Takes the link for good; null when it is unknown, used or expired. Two callers cannot both get it. */
  redeem(tokenHash: string, now: number): Promise<SignInLink | null>;
  /** Invitations that can still be redeemed, newest first. */
  listInvitations(externalOrgId: string, now: number, page: PageQuery): Promise<Page<SignInLink>>;
  /** Emails of the invitations that can still be redeemed, each once. */
  listInvited(externalOrgId: string, now: number): Promise<readonly string[]>;
  /** Null when there is no such invitation in the org. */
  revokeInvitation(externalOrgId: string, id: string): Promise<SignInLink | null>;
  /** Revokes every invitation of the email, which is lower case, in the org. */
  revokeInvitationsOf(externalOrgId: string, email: string): Promise<void>;
}

/** Sessions of the local identity that were signed out before they expired. */
export interface EndedSessionStore {
  /** Remembers the session until `expiresAt`, after which its tokens are not valid anyway. */
  end(session: { readonly id: string; readonly expiresAt: number }, now: number): Promise<void>;
  isEnded(sessionId: string): Promise<boolean>;
}
