import {
  type Access,
  type Caller,
  type Clock,
  type ControlStores,
  changeOrder,
  DomainError,
  type Identity,
} from "@assay/domain";
import type { Deps } from "../deps.ts";
import { lockOrg } from "./lock-org.ts";
import { membershipEntry, roleOf, speakerOf } from "./membership-entry.ts";
import { invalidToken } from "./verify-token.ts";

type AdmitDeps = Pick<Deps, "control" | "clock" | "newId" | "plans" | "isPlatformOwner" | "identity">;

/**
 * Admits the holder of a verified token to their org. Like a webhook, the token is an identity update: it creates the user, the org and
 * the membership when they are missing, and applies unless a newer update exists. The first session takes a seat. A token with nothing
 * new costs one read and no write; two reads when sessions can be signed out here.
 *
 * Throws `invalid-credential` when the session was signed out or the membership, the user or the org is gone, and `seat-required` when
 * the plan has no seat left.
 */
export async function admitPerson(identity: Identity, deps: AdmitDeps): Promise<Caller> {
  await rejectSignedOut(identity, deps.control);
  const known = await deps.control.people.findAccess(identity);
  const access = known === null || isNews(identity, known) ? await hearToken(identity, known, deps) : known;
  rejectEnded(access);
  if (!access.hasSeat) await seat(access, deps);
  return toCaller(identity, access, deps);
}

/** Only sessions of the local identity have an id and can be ended here. */
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

/** Whether the token is newer than what is known, or adds a missing email: a user known only from a membership has none. */
function isNews(identity: Identity, known: Access): boolean {
  return tokenOrder(identity) > known.order || (known.email === "" && identity.email !== null);
}

/** Applies the token as an update; a join or a change of role goes together with its audit entry. */
function hearToken(identity: Identity, known: Access | null, deps: AdmitDeps): Promise<Access> {
  if (known !== null && roleOf(known) === identity.role)
    return applyToken(identity, deps.control, deps.clock);
  return deps.control.transaction(async (stores) => {
    await lockOrg(identity.externalOrgId, stores, deps);
    const before = await stores.people.findAccess(identity);
    const after = await applyToken(identity, stores, deps.clock);
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
  { people }: Pick<ControlStores, "people">,
  clock: Clock,
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

/** Builds the caller with the token's email and name, or else the stored ones. Providers report verified emails only. */
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
