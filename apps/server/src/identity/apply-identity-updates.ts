import {
  type Access,
  type ControlStores,
  changeOrder,
  type ExternalMember,
  type OrgUpdate,
  type Role,
  type UserUpdate,
} from "@assay/domain";
import { auditEntry } from "../audit-entry.ts";
import type { Deps } from "../deps.ts";
import { fieldDiff } from "../field-diff.ts";
import type { IdentityUpdate } from "./clerk-event.ts";

const ACTOR = { userId: "identity-provider", name: "Clerk", email: "" };

type UpdateDeps = Pick<Deps, "control" | "clock" | "newId" | "log">;
type ReportedMembership = Extract<IdentityUpdate, { kind: "membership" }>;

/** Stores the updates of one event, all or none. Returns the ids of the orgs that they delete. */
export function applyIdentityUpdates(
  updates: readonly IdentityUpdate[],
  deps: UpdateDeps,
): Promise<readonly string[]> {
  return deps.control.transaction(async (stores) => {
    const deleted: string[] = [];
    for (const update of updates) {
      if (update.kind === "membership") await storeMembership(update, stores, deps);
      else if (update.kind === "user") await storeUser(update.change, stores, deps);
      else deleted.push(...(await storeOrg(update.change, stores, deps)));
    }
    return deleted;
  });
}

/** Stores a user. A deletion, or its reversal, changes the membership in each of the user's orgs. */
async function storeUser(change: UserUpdate, stores: ControlStores, deps: UpdateDeps): Promise<void> {
  const externalUserId = change.externalId;
  const orgs = await stores.people.listOrgsOf(externalUserId);
  for (const externalId of orgs) await lockOrg(externalId, stores, deps);
  const members = orgs.map((externalOrgId) => ({ externalUserId, externalOrgId }));
  await auditing(members, { stores, deps }, () => stores.people.putUser(change, deps.clock.now()));
}

/**
 * Locks an org before its memberships change, so that the second of two concurrent deliveries sees the first one's changes. It does so by
 * an update older than any other, which changes nothing, and so locks a deleted org, too.
 */
async function lockOrg(externalId: string, { people }: ControlStores, { clock }: UpdateDeps): Promise<void> {
  const order = changeOrder(0, "token");
  await people.putOrg({ externalId, order, name: null, isDeleted: false }, clock.now());
}

/** Returns the id of the org if this update deleted it. */
async function storeOrg(
  change: OrgUpdate,
  { orgs, people }: ControlStores,
  { clock }: UpdateDeps,
): Promise<readonly string[]> {
  const before = change.isDeleted ? await orgs.list() : [];
  await people.putOrg(change, clock.now());
  return before.filter(({ externalId }) => externalId === change.externalId).map(({ id }) => id);
}

async function storeMembership(
  { change, unknownRole }: ReportedMembership,
  stores: ControlStores,
  deps: UpdateDeps,
): Promise<void> {
  if (unknownRole !== null)
    deps.log.warn({ role: unknownRole }, "a role of the identity provider is unknown and counts as member");
  await auditing([change], { stores, deps }, () => stores.people.putMembership(change, deps.clock.now()));
}

interface Auditing {
  readonly stores: ControlStores;
  readonly deps: UpdateDeps;
}

/** Audits the role changes that `work` makes, and nothing else: deliveries may be repeated or late. */
async function auditing(
  members: readonly ExternalMember[],
  { stores: { people, audit }, deps }: Auditing,
  work: () => Promise<void>,
): Promise<void> {
  const before = await Promise.all(members.map((member) => people.findAccess(member)));
  await work();
  for (const [index, member] of members.entries()) {
    const was = before[index] ?? null;
    const is = await people.findAccess(member);
    const [from, to] = [roleOf(was), roleOf(is)];
    if (is === null || from === to) continue;
    const action = {
      action: "member.sync",
      targetType: "member",
      targetId: is.userId,
      // A deleted user no longer has a name.
      summary: summaryOf(from, to, nameOf(is) ?? (was && nameOf(was)) ?? member.externalUserId),
      diff: fieldDiff({ role: from }, { role: to }, ["role"]),
    };
    await audit.record(auditEntry({ ...ACTOR, orgId: is.orgId }, action, deps));
  }
}

/** Returns the role; null for someone who is not a member. */
function roleOf(access: Access | null): Role | null {
  return access === null || access.isRemoved || access.isUserDeleted ? null : access.role;
}

function nameOf({ email, name }: Access): string | null {
  return email || name || null;
}

function summaryOf(from: Role | null, to: Role | null, who: string): string {
  if (to === null) return `Removed ${who}.`;
  return from === null ? `Added ${who} as ${to}.` : `Made ${who} ${to}.`;
}
