import { type ControlStores, nextOrder, parseRole, ROLES, type Role, type ScimResource } from "@assay/domain";
import { auditEntry } from "../audit-entry.ts";
import type { Deps } from "../deps.ts";
import { fieldDiff } from "../field-diff.ts";
import { memberIds, withoutMember } from "./scim-documents.ts";
import { invalidValue } from "./scim-error.ts";

const ACTOR = { userId: "identity-provider", name: "SCIM", email: "" };

type ProvisionDeps = Pick<Deps, "clock" | "newId" | "identity">;

interface Provisioning {
  readonly stores: ControlStores;
  readonly deps: ProvisionDeps;
}

/**
 * Stores a change of a user or a group, and applies it to the members concerned. An inactive or deleted user is removed at once, a user who
 * becomes active again may return, and groups that stand for roles give them. Runs within a transaction that has locked the org.
 */
export async function provision(
  before: ScimResource | null,
  after: ScimResource,
  parts: Provisioning,
): Promise<void> {
  if (after.kind === "Group") await checkMembers(before, after, parts);
  await parts.stores.scim.put(after);
  if (after.kind === "User") await applyUser(before, after, parts);
  else await applyGroup(before, after, parts);
}

/** Providers create a user before they add them to a group. An unknown id would silently give a role to nobody. */
async function checkMembers(
  before: ScimResource | null,
  after: ScimResource,
  { stores }: Provisioning,
): Promise<void> {
  const had = new Set(before === null ? [] : memberIds(before));
  for (const id of memberIds(after)) {
    if (had.has(id) || (await stores.scim.find(after.orgId, "User", id)) !== null) continue;
    throw invalidValue(
      `members names ${JSON.stringify(id.slice(0, 100))}, which is not the id of a User here. Create the user first, and send the id of the answer.`,
    );
  }
}

async function applyUser(
  before: ScimResource | null,
  after: ScimResource,
  parts: Provisioning,
): Promise<void> {
  const [was, is] = [isIn(before), isIn(after)];
  if (was === is && before !== null) return;
  const role = is ? await roleOfGroups(after, parts) : null;
  await changeMembers(after, { isRemoved: !is, role }, parts);
  // Under another name or email, it is still the same person.
  if (!is && before !== null) await changeMembers(before, { isRemoved: true, role: null }, parts);
  if (after.isDeleted) await leaveGroups(after, parts);
}

async function leaveGroups(
  { orgId, id, updatedAt }: ScimResource,
  { stores: { scim } }: Provisioning,
): Promise<void> {
  for (const group of await scim.list(orgId, "Group"))
    if (memberIds(group).includes(id)) await scim.put({ ...withoutMember(group, id), updatedAt });
}

function isIn(user: ScimResource | null): boolean {
  return user?.isActive === true && !user.isDeleted;
}

/** Members who joined or left a group get the strongest role of their current groups, or else the role member. */
async function applyGroup(
  before: ScimResource | null,
  after: ScimResource,
  parts: Provisioning,
): Promise<void> {
  const [had, has] = [before, after].map((group) =>
    group === null || group.isDeleted || roleOf(group, parts) === null ? [] : memberIds(group),
  ) as [readonly string[], readonly string[]];
  const sameRole = before !== null && roleOf(before, parts) === roleOf(after, parts);
  const ids = new Set([...had, ...has].filter((id) => !sameRole || had.includes(id) !== has.includes(id)));
  for (const id of ids) {
    const user = await parts.stores.scim.find(after.orgId, "User", id);
    if (user === null || !user.isActive) continue;
    const role = (await roleOfGroups(user, parts)) ?? "member";
    await changeMembers(user, { isRemoved: null, role }, parts);
  }
}

/** Finds the strongest role that the user's groups mean; null when none means one. */
export async function roleOfGroups(
  user: Pick<ScimResource, "orgId" | "id">,
  parts: { readonly stores: Pick<ControlStores, "scim">; readonly deps: Pick<Deps, "identity"> },
): Promise<Role | null> {
  const groups = await parts.stores.scim.list(user.orgId, "Group");
  const roles = groups
    .filter((group) => memberIds(group).includes(user.id))
    .map((group) => roleOf(group, parts));
  return ROLES.toReversed().find((role) => roles.includes(role)) ?? null;
}

function roleOf(
  { document }: ScimResource,
  { deps: { identity } }: { readonly deps: Pick<Deps, "identity"> },
): Role | null {
  const name = String(document.displayName);
  const named = identity.kind === "local" ? undefined : identity.claims.roles.get(name);
  return named ?? parseRole(name);
}

interface MemberChange {
  /** Null: membership does not change. */
  readonly isRemoved: boolean | null;
  /** Null: unchanged. */
  readonly role: Role | null;
}

async function changeMembers(
  { orgId, externalId, email, nameKey }: ScimResource,
  change: MemberChange,
  { stores, deps }: Provisioning,
): Promise<void> {
  const { people, orgs, audit } = stores;
  const org = await orgs.find(orgId);
  if (org === null) return;
  const emails = [nameKey, ...(email === null ? [] : [email])];
  for (const externalUserId of await people.listSamePerson(orgId, { externalUserId: externalId, emails })) {
    const member = { externalUserId, externalOrgId: org.externalId };
    const access = await people.findAccess(member);
    if (access === null || access.isUserDeleted) continue;
    const isRemoved = change.isRemoved ?? access.isRemoved;
    const role = change.role ?? access.role;
    if (isRemoved === access.isRemoved && (isRemoved || role === access.role)) continue;
    const now = deps.clock.now();
    const order = nextOrder(access.order, now, isRemoved ? "deleted" : "updated");
    await people.putMembership({ ...member, order, role, isRemoved }, now);
    const [from, to] = [access.isRemoved ? null : access.role, isRemoved ? null : role];
    const who = access.email || access.name || externalUserId;
    const entry = {
      action: "member.sync",
      targetType: "member",
      targetId: access.userId,
      summary:
        to === null ? `Removed ${who}.` : from === null ? `Added ${who} as ${to}.` : `Made ${who} ${to}.`,
      diff: fieldDiff({ role: from }, { role: to }, ["role"]),
    };
    await audit.record(auditEntry({ ...ACTOR, orgId }, entry, deps));
  }
}
