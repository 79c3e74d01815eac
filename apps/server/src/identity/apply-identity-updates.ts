import type { ControlStores, ExternalMember, OrgUpdate, UserUpdate } from "@assay/domain";
import type { Deps } from "../deps.ts";
import type { IdentityUpdate } from "./clerk-event.ts";
import { lockOrg } from "./lock-org.ts";
import { membershipEntry } from "./membership-entry.ts";

const BY_WEBHOOK = {
  action: "member.sync",
  actor: { userId: "identity-provider", name: "Clerk", email: "" },
  way: "webhook",
} as const;

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
    const after = await people.findAccess(member);
    if (after === null) continue;
    const { externalUserId } = member;
    const change = { ...BY_WEBHOOK, before: before[index] ?? null, after, externalUserId };
    const entry = membershipEntry(change, deps);
    if (entry !== null) await audit.record(entry);
  }
}
