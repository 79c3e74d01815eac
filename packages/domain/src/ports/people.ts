import type { Role } from "../access/roles.ts";
import type { Page, PageQuery } from "./page.ts";

/** Identifies a person in an org by the identity provider's ids. */
export interface ExternalMember {
  readonly externalUserId: string;
  readonly externalOrgId: string;
}

/**
 * An identity update of a user, by a token, a webhook or an admin. Each part (existence, email, name) takes effect unless an update of
 * a higher `order` has set that part.
 */
export interface UserUpdate {
  readonly externalId: string;
  /** See `changeOrder`. */
  readonly order: number;
  /** Null if the update does not include it: the value of older updates stays, even if they arrive later. */
  readonly email: string | null;
  readonly name: string | null;
  readonly isDeleted: boolean;
}

/** An identity update of an org. */
export interface OrgUpdate {
  readonly externalId: string;
  readonly order: number;
  readonly name: string | null;
  readonly isDeleted: boolean;
}

/** An identity update of a membership. */
export interface MembershipUpdate extends ExternalMember {
  readonly order: number;
  readonly role: Role;
  readonly isRemoved: boolean;
}

/** Everything that decides whether a person may access an org. */
export interface Access {
  readonly orgId: string;
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  /** Order of the latest update of the membership. */
  readonly order: number;
  readonly isRemoved: boolean;
  readonly isUserDeleted: boolean;
  readonly isOrgDeleted: boolean;
  /** Whether the person has one of the plan's seats, which the first session takes. */
  readonly hasSeat: boolean;
  /** Whether the org's people need a passkey in addition to their sign-in link. */
  readonly requiresPasskey: boolean;
}

export interface Member {
  readonly userId: string;
  readonly externalId: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  /** Epoch milliseconds; null for a member that the identity provider knows and who has not signed in yet. */
  readonly joinedAt: number | null;
  readonly createdAt: number;
}

/**
 * Users, orgs and memberships as the identity provider reports them. Only the latest update of each counts. Updates with the same order
 * give the same result in any sequence (for a membership, a removal wins, then the weaker role). The first update that names an external
 * id creates a row with a permanent id of its own; email and name are empty until an update sets them.
 */
export interface PeopleStore {
  /** A deletion also erases email and name. */
  putUser(change: UserUpdate, now: number): Promise<void>;
  /** A deletion also increments the key epoch. */
  putOrg(change: OrgUpdate, now: number): Promise<void>;
  /** Creates the user and the org if they are unknown. A removal frees the seat. */
  putMembership(change: MembershipUpdate, now: number): Promise<void>;
  /** Like `putMembership`, for a session token. A token never lets a removed member in again, however new it is. */
  putMembershipOfToken(change: Omit<MembershipUpdate, "isRemoved">, now: number): Promise<void>;
  findAccess(member: ExternalMember): Promise<Access | null>;
  /** False for an unknown user. */
  isUserDeleted(externalUserId: string): Promise<boolean>;
  /** External ids of the users with a membership of the org, removed ones included, who have this external id or email. */
  listSamePerson(
    orgId: string,
    person: { readonly externalUserId: string | null; readonly emails: readonly string[] },
  ): Promise<readonly string[]>;
  /** External ids of the orgs in which the user has or had a membership, in the same order for every caller. */
  listOrgsOf(externalUserId: string): Promise<readonly string[]>;
  /** Gives the member one of `seats` (null: unlimited). False when all are taken or the person is not a member. Lock the org first. */
  takeSeat(
    member: { readonly orgId: string; readonly userId: string },
    seats: number | null,
    now: number,
  ): Promise<boolean>;
  /** Members with a seat. */
  countSeats(orgId: string): Promise<number>;
  /** Null when the user is not a member, or was removed or deleted. */
  findMember(orgId: string, userId: string): Promise<Member | null>;
  /** Members who are neither removed nor deleted, newest first. */
  listMembers(orgId: string, page: PageQuery): Promise<Page<Member>>;
  countOwners(orgId: string): Promise<number>;
}

/** A one-time link: the owner's start-up ticket or an invitation. Only the SHA-256 (hex) of its token is stored. */
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
  /** Stores the link and deletes those that have expired by its `createdAt`. */
  create(link: SignInLink): Promise<void>;
  /** Null when it is unknown or expired. The link stays valid. */
  find(tokenHash: string, now: number): Promise<SignInLink | null>;
  /** Uses up the link; null if it is unknown, used or expired. Of two callers, only one gets it. */
  redeem(tokenHash: string, now: number): Promise<SignInLink | null>;
  /** Invitations that can still be redeemed, newest first. */
  listInvitations(externalOrgId: string, now: number, page: PageQuery): Promise<Page<SignInLink>>;
  /** Distinct emails of the invitations that can still be redeemed. */
  listInvited(externalOrgId: string, now: number): Promise<readonly string[]>;
  /** Null when the org has no such invitation. */
  revokeInvitation(externalOrgId: string, id: string): Promise<SignInLink | null>;
  /** Uses up and returns the newest invitation of the email (in lower case) in the org; null when none can be redeemed. */
  redeemInvitationOf(externalOrgId: string, email: string, now: number): Promise<SignInLink | null>;
  /** Revokes every invitation of the email (in lower case) in the org. */
  revokeInvitationsOf(externalOrgId: string, email: string): Promise<void>;
}

/** Sessions of the local identity that were ended before they expired. */
export interface EndedSessionStore {
  /** Keeps the session until `expiresAt`, when its tokens expire anyway. */
  end(session: { readonly id: string; readonly expiresAt: number }, now: number): Promise<void>;
  isEnded(sessionId: string): Promise<boolean>;
}
