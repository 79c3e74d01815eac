import { memberAnswer, members as operations } from "@assay/contract";
import {
  type Caller,
  type ControlStores,
  DomainError,
  type Member,
  mayChangeMember,
  nextOrder,
  type Role,
  roleAllows,
} from "@assay/domain";
import { auditEntry } from "../../audit-entry.ts";
import type { Deps } from "../../deps.ts";
import { fieldDiff } from "../../field-diff.ts";
import { defineRoute } from "../../http/define-route.ts";
import { pageAnswer, toPageQuery } from "../../http/page.ts";
import { rejectOldSignIn } from "../../identity/recent-sign-in.ts";
import { rejectRolesElsewhere } from "./roles-elsewhere.ts";

export const listMembers = defineRoute(operations.listMembers, async ({ query, caller }, { control }) => {
  return pageAnswer(await control.people.listMembers(caller.orgId, toPageQuery(query)), memberAnswer);
});

export const putMember = defineRoute(operations.putMember, ({ params, body, caller }, deps) => {
  rejectRolesElsewhere(deps.identity);
  return changeMember({ userId: params.id, to: body.role, caller }, deps);
});

export const removeMember = defineRoute(operations.removeMember, async ({ params, caller }, deps) => {
  await changeMember({ userId: params.id, to: null, caller }, deps);
});

interface Change {
  readonly userId: string;
  /** Null: remove the member. */
  readonly to: Role | null;
  readonly caller: Caller;
}

/** Changes a member's role or removes the member, from the next request on: each request reads the member's row. */
async function changeMember({ userId, to, caller }: Change, deps: Deps) {
  return deps.control.transaction(async (stores) => {
    // If two owners remove each other at once, the second is found to be the last owner.
    await stores.orgs.lock(caller.orgId);
    const member = await stores.people.findMember(caller.orgId, userId);
    if (member === null)
      throw new DomainError("member-not-found", "No member of your organization has this id.");
    await rejectChange(member, to, { caller, people: stores.people });
    if (member.role === to) return memberAnswer(member);
    if (to !== null && !roleAllows(member.role, to)) rejectOldSignIn(caller, deps);
    await storeChange(member, to, { caller, stores, deps });
    return memberAnswer({ ...member, role: to ?? member.role });
  });
}

async function rejectChange(
  { email, role }: Member,
  to: Role | null,
  { caller, people }: { readonly caller: Caller; readonly people: ControlStores["people"] },
): Promise<void> {
  if (!mayChangeMember(caller.role, { from: role, to }))
    throw new DomainError(
      "role-required",
      role === "owner"
        ? `${email} is an owner: only an owner can change that.`
        : "Only an owner can make an owner.",
    );
  if (role === "owner" && to !== "owner" && (await people.countOwners(caller.orgId)) <= 1)
    throw new DomainError("last-owner", `${email} is the last owner: make somebody else an owner first.`);
}

interface Changing {
  readonly caller: Caller;
  readonly stores: ControlStores;
  readonly deps: Deps;
}

async function storeChange(member: Member, to: Role | null, { caller, stores, deps }: Changing) {
  const now = deps.clock.now();
  const org = await stores.orgs.find(caller.orgId);
  if (org === null) throw new Error("A locked org is gone.");
  const named = { externalUserId: member.externalId, externalOrgId: org.externalId };
  const last = (await stores.people.findAccess(named))?.order ?? 0;
  const isRemoved = to === null;
  const order = nextOrder(last, now, isRemoved ? "deleted" : "updated");
  await stores.people.putMembership({ ...named, order, role: to ?? member.role, isRemoved }, now);
  // A pending link would bring the member back, or restore the role that it names.
  await stores.signInLinks.revokeInvitationsOf(org.externalId, member.email);
  const entry = {
    action: isRemoved ? "member.remove" : "member.role",
    targetType: "member",
    targetId: member.userId,
    summary: isRemoved ? `Removed ${member.email}.` : `Made ${member.email} ${to}.`,
    diff: fieldDiff({ role: member.role }, { role: to }, ["role"]),
  };
  await stores.audit.record(auditEntry(caller, entry, deps));
}
