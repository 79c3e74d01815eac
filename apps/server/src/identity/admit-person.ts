import {
  type Access,
  type Caller,
  type ControlStores,
  changeOrder,
  DomainError,
  type Identity,
} from "@assay/domain";
import type { Deps } from "../deps.ts";
import { invalidToken } from "./verify-token.ts";

type AdmitDeps = Pick<Deps, "control" | "clock" | "plans" | "isPlatformOwner">;

/**
 * Lets the holder of a verified token into their org. The token is a word like a webhook's: it makes the user, the org and
 * the membership where they are missing, and counts unless something newer was said. The first session takes a seat. No
 * write where the token says nothing new, and one read: two where sessions can be signed out here.
 *
 * Throws `invalid-credential` when the session was signed out, or the membership, the user or the org is gone, and
 * `seat-required` when the plan has no seat left.
 */
export async function admitPerson(identity: Identity, deps: AdmitDeps): Promise<Caller> {
  await rejectSignedOut(identity, deps.control);
  const known = await deps.control.people.findAccess(identity);
  const access = known === null || saysMore(identity, known) ? await hearToken(identity, deps) : known;
  rejectEnded(access);
  if (!access.hasSeat) await seat(access, deps);
  return toCaller(identity, access, deps);
}

/** Only sessions of the local identity have a name and can be ended here. */
async function rejectSignedOut(
  { session }: Identity,
  { endedSessions }: Pick<ControlStores, "endedSessions">,
): Promise<void> {
  if (session !== null && (await endedSessions.isEnded(session.id)))
    throw invalidToken("The session was signed out: sign in again.");
}

function tokenOrder({ issuedAt }: Identity): number {
  return changeOrder(issuedAt, "token");
}

/** A user whom only a membership mentioned has no email yet. */
function saysMore(identity: Identity, known: Access): boolean {
  return tokenOrder(identity) > known.order || (known.email === "" && identity.email !== null);
}

/** No token brings back a user or an org that the provider deleted: those are looked at before they are spoken of. */
async function hearToken(
  identity: Identity,
  { control: { people }, clock }: Pick<Deps, "control" | "clock">,
): Promise<Access> {
  const { externalUserId, externalOrgId, orgName, role, email, name } = identity;
  const [order, now] = [tokenOrder(identity), clock.now()];
  await people.putMembership({ externalUserId, externalOrgId, order, role, isRemoved: false }, now);
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
  if (isUserDeleted) throw invalidToken("The user was deleted.");
  if (isRemoved)
    throw invalidToken("You were removed from the organization: ask an admin to invite you again.");
}

async function seat(access: Access, deps: Pick<AdmitDeps, "control" | "clock" | "plans">): Promise<void> {
  const isSeated = await deps.control.transaction((stores) => takeSeat(access, stores, deps));
  if (isSeated) return;
  throw new DomainError(
    "seat-required",
    "All seats of your organization's plan are taken: ask an admin to remove a member, or to choose a larger plan.",
  );
}

/** Takes a seat inside a transaction. False when the plan has none left. */
export async function takeSeat(
  access: Access,
  stores: ControlStores,
  { clock, plans }: Pick<AdmitDeps, "clock" | "plans">,
): Promise<boolean> {
  if (access.hasSeat) return true;
  await stores.orgs.lock(access.orgId);
  return stores.people.takeSeat(access, await plans.seats(access.orgId, stores), clock.now());
}

/** The token's own word on email and name, or what is known from elsewhere: a provider tells of verified emails only. */
function toCaller(
  identity: Identity,
  access: Access,
  { isPlatformOwner }: Pick<AdmitDeps, "isPlatformOwner">,
): Caller {
  const email = identity.email ?? access.email;
  return {
    orgId: access.orgId,
    userId: access.userId,
    role: access.role,
    email,
    name: (identity.name ?? access.name) || email,
    isPlatformOwner: email !== "" && isPlatformOwner(email),
  };
}
