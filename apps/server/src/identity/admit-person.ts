import {
  type Access,
  type Caller,
  type Clock,
  type ControlStores,
  changeOrder,
  DomainError,
  type ExternalMember,
  type Identity,
  nextOrder,
  type Person,
  type PlatformCaller,
  type Role,
} from "@assay/domain";
import { auditEntry } from "../audit-entry.ts";
import type { Deps } from "../deps.ts";
import { roleOfGroups } from "../scim/provision.ts";
import { lockOrg } from "./lock-org.ts";
import { membershipEntry, roleOf, speakerOf } from "./membership-entry.ts";
import { invalidToken } from "./verify-token.ts";

type AdmitDeps = Pick<Deps, "control" | "clock" | "identity" | "newId" | "plans" | "isPlatformOwner">;

/**
 * Admits the holder of a verified token to their org. Like a webhook, the token is an identity update: it creates the
 * user, the org and the membership if they are missing, and applies unless a newer update exists. It never restores a
 * removed member; only an invitation or the provider's own report does. The first session takes a seat. A token without
 * news costs two reads and no write.
 *
 * Throws `invalid-credential` when the session was signed out or the membership, the user or the org is gone, and
 * `seat-required` when the plan has no seat left. Platform owners need none.
 */
export async function admitPerson(identity: Identity, deps: AdmitDeps): Promise<Caller> {
  await rejectSignedOut(identity, deps.control);
  const known = await deps.control.people.findAccess(identity);
  const access = await updateAccess(identity, known, deps);
  rejectEnded(access);
  const caller = toCaller(identity, access, deps);
  if (!access.hasSeat && !(await seat(access, deps)) && !caller.isPlatformOwner) throw noSeatLeft();
  return caller;
}

/**
 * Admits a platform owner, who needs neither an org nor a seat. Throws `invalid-credential` as `admitPerson` does, also
 * when the token names an org that removed its holder: a removed person must not keep rights over all orgs.
 */
export async function admitPlatformOwner(
  person: Person & Partial<ExternalMember>,
  deps: Pick<AdmitDeps, "control" | "isPlatformOwner">,
): Promise<PlatformCaller> {
  await rejectSignedOut(person, deps.control);
  if (!ownsPlatform(person, deps))
    throw new DomainError(
      "platform-owner-required",
      "Your sign-in email is not a platform owner's, or the identity provider does not say that it is verified.",
    );
  const { externalUserId, externalOrgId } = person;
  const { people } = deps.control;
  const access =
    externalOrgId === undefined ? null : await people.findAccess({ externalUserId, externalOrgId });
  if (access !== null) rejectEnded(access);
  if (await people.isUserDeleted(externalUserId)) throw deletedUser();
  const email = person.email ?? "";
  return {
    orgId: access?.orgId ?? null,
    userId: access?.userId ?? externalUserId,
    email,
    name: person.name ?? email,
  };
}

/** Every process refuses a signed-out session from the next request on. */
async function rejectSignedOut(
  { session }: Pick<Person, "session">,
  { endedSessions }: Pick<ControlStores, "endedSessions">,
): Promise<void> {
  if (session !== null && (await endedSessions.isEnded(session.id)))
    throw invalidToken("The session was signed out: sign in again.");
}

/** Stores what is new in the token, and returns what is then known. */
async function updateAccess(identity: Identity, known: Access | null, deps: AdmitDeps): Promise<Access> {
  if (known?.isRemoved) return readmit(identity, known, deps);
  if (known !== null) return isNews(identity, known) ? hearToken(identity, known, deps) : known;
  return applyProvisioning(identity, await hearToken(identity, known, deps), deps);
}

/** What SCIM reported about a person before their first sign-in counts: a deactivated person stays out, and groups give the role. */
async function applyProvisioning(identity: Identity, access: Access, deps: AdmitDeps): Promise<Access> {
  const [user] = await deps.control.scim.findPerson(access.orgId, identity);
  if (user === undefined) return access;
  const isRemoved = user.isDeleted || !user.isActive;
  const role = (await roleOfGroups(user, { stores: deps.control, deps })) ?? access.role;
  if (!isRemoved && role === access.role) return access;
  const order = nextOrder(access.order, deps.clock.now(), isRemoved ? "deleted" : "updated");
  await deps.control.people.putMembership({ ...identity, order, role, isRemoved }, deps.clock.now());
  return (await deps.control.people.findAccess(identity)) ?? access;
}

/**
 * Uses up an invitation for the email that the provider confirms, and admits its holder again. A session signed here is
 * not a new sign-in at the provider. With the local identity, the person must open the link.
 */
async function readmit(identity: Identity, known: Access, deps: AdmitDeps): Promise<Access> {
  const { email, externalOrgId, session } = identity;
  if (email === null || session?.isOwn !== false) return known;
  return deps.control.transaction(async (stores) => {
    const { orgId, userId } = known;
    await stores.orgs.lock(orgId);
    const now = deps.clock.now();
    const link = await stores.signInLinks.redeemInvitationOf(externalOrgId, email, now);
    if (link === null) return known;
    const order = nextOrder(known.order, link.createdAt, "updated");
    await stores.people.putMembership({ ...identity, order, role: link.role, isRemoved: false }, now);
    const summary = `${identity.name ?? email} joined again as ${link.role}.`;
    const action = { action: "member.join", targetType: "member", targetId: userId, summary };
    const actor = { orgId, userId, email, name: identity.name ?? email };
    await stores.audit.record(auditEntry(actor, action, deps));
    return (await stores.people.findAccess(identity)) ?? known;
  });
}

function tokenOrder({ issuedAt }: Identity): number {
  return changeOrder(issuedAt, "token");
}

/** Whether the token is newer than what is known, or adds a missing email: a user known only from a membership has none. */
function isNews(identity: Identity, known: Access): boolean {
  return tokenOrder(identity) > known.order || (known.email === "" && identity.email !== null);
}

/** A role that the token does not name applies to newcomers only. Members keep theirs. */
function toldRole({ role, isRoleNamed }: Identity, known: Access | null): Role {
  return isRoleNamed ? role : (known?.role ?? role);
}

/** Applies the token as an update. A join or a change of role is stored together with its audit entry. */
function hearToken(identity: Identity, known: Access | null, deps: AdmitDeps): Promise<Access> {
  if (known !== null && roleOf(known) === toldRole(identity, known))
    return applyToken(identity, known, deps.control, deps.clock);
  return deps.control.transaction(async (stores) => {
    await lockOrg(identity.externalOrgId, stores, deps);
    const before = await stores.people.findAccess(identity);
    const after = await applyToken(identity, before, stores, deps.clock);
    // The names are stored after the membership.
    const named = (await stores.people.findAccess(identity)) ?? after;
    const { externalUserId } = identity;
    const change = {
      before,
      after: named,
      action: "member.sync",
      ...speakerOf(deps.identity),
      externalUserId,
    };
    const entry = after.isOrgDeleted ? null : membershipEntry(change, deps);
    if (entry !== null) await stores.audit.record(entry);
    return after;
  });
}

/** Applies the token as an update. It must not restore a user or an org that the provider deleted, so those are checked first. */
async function applyToken(
  identity: Identity,
  known: Access | null,
  { people }: Pick<ControlStores, "people">,
  clock: Clock,
): Promise<Access> {
  const { externalUserId, externalOrgId, orgName, email, name } = identity;
  const role = toldRole(identity, known);
  const [order, now] = [tokenOrder(identity), clock.now()];
  await people.putMembershipOfToken({ externalUserId, externalOrgId, order, role }, now);
  const access = await people.findAccess(identity);
  if (access === null) throw new Error("A membership that was just put is not there.");
  if (access.isUserDeleted || access.isOrgDeleted) return access;
  await people.putOrg({ externalId: externalOrgId, order, name: orgName, isDeleted: false }, now);
  await people.putUser({ externalId: externalUserId, order, email, name, isDeleted: false }, now);
  return access;
}

/** Throws `invalid-credential` when the membership, the user or the org is gone. */
export function rejectEnded({ isRemoved, isUserDeleted, isOrgDeleted }: Access): void {
  if (isOrgDeleted) throw invalidToken("The organization was deleted.");
  if (isUserDeleted) throw deletedUser();
  if (isRemoved)
    throw invalidToken("You were removed from the organization: ask an admin to invite you again.");
}

function deletedUser(): DomainError {
  return invalidToken("The user was deleted.");
}

function seat(access: Access, deps: Pick<AdmitDeps, "control" | "clock" | "plans">): Promise<boolean> {
  return deps.control.transaction((stores) => takeSeat(access, stores, deps));
}

function noSeatLeft(): DomainError {
  return new DomainError(
    "seat-required",
    "All seats of your organization's plan are taken. Ask an admin to remove a member or to choose a larger plan.",
  );
}

/** Takes a seat within a transaction. Returns false when the plan has none left. */
export async function takeSeat(
  access: Access,
  stores: ControlStores,
  { clock, plans }: Pick<AdmitDeps, "clock" | "plans">,
): Promise<boolean> {
  if (access.hasSeat) return true;
  await stores.orgs.lock(access.orgId);
  return stores.people.takeSeat(access, await plans.seats(access.orgId, stores), clock.now());
}

/** Builds the caller with the token's email and name, or else the stored ones. */
function toCaller(
  identity: Identity,
  access: Access,
  deps: Pick<AdmitDeps, "isPlatformOwner" | "identity">,
): Caller {
  const email = identity.email ?? access.email;
  return {
    orgId: access.orgId,
    userId: access.userId,
    role: access.role,
    email,
    name: (identity.name ?? access.name) || email,
    isPlatformOwner: ownsPlatform(identity, deps),
    ...readOwnSession(identity),
    // A provider keeps the second factors of its people.
    isPasskeyMissing: access.requiresPasskey && deps.identity.kind === "local",
  };
}

function readOwnSession({ session }: Identity): Pick<Caller, "sessionId" | "signedInAt"> {
  return session?.isOwn
    ? { sessionId: session.id, signedInAt: session.startedAt }
    : { sessionId: null, signedInAt: null };
}

/** Only this token's email counts, and only if its signer says that it is verified. */
export function ownsPlatform(
  { email, isEmailVerified }: Pick<Person, "email" | "isEmailVerified">,
  { isPlatformOwner }: Pick<AdmitDeps, "isPlatformOwner">,
): boolean {
  return email !== null && isEmailVerified && isPlatformOwner(email);
}
