import { type Access, type ControlStores, changeOrder, type ExternalMember, type Role } from "@assay/domain";
import { auditEntry } from "../audit-entry.ts";
import type { Deps } from "../deps.ts";
import { fieldDiff } from "../field-diff.ts";
import type { IdentityUpdate } from "./clerk-event.ts";

const ACTOR = { userId: "identity-provider", name: "Clerk", email: "" };

type WordDeps = Pick<Deps, "control" | "clock" | "newId" | "log">;
type UserWord = Extract<IdentityUpdate, { kind: "user" }>;
type OrgWord = Extract<IdentityUpdate, { kind: "org" }>;
type MembershipWord = Extract<IdentityUpdate, { kind: "membership" }>;

/** Stores what one event says, all of it or nothing. Returns the ids of the orgs that it deletes. */
export function applyIdentityUpdates(
  words: readonly IdentityUpdate[],
  deps: WordDeps,
): Promise<readonly string[]> {
  return deps.control.transaction(async (stores) => {
    const deleted: string[] = [];
    for (const word of words) {
      if (word.kind === "membership") await storeMembership(word, stores, deps);
      else if (word.kind === "user") await storeUser(word, stores, deps);
      else deleted.push(...(await storeOrg(word, stores, deps)));
    }
    return deleted;
  });
}

/** A user who is deleted, or turns out not to be, goes or comes in every org that they are in. */
async function storeUser({ change }: UserWord, stores: ControlStores, deps: WordDeps): Promise<void> {
  const externalUserId = change.externalId;
  const orgs = await stores.people.listOrgsOf(externalUserId);
  for (const externalId of orgs) await lockOrg(externalId, stores, deps);
  const members = orgs.map((externalOrgId) => ({ externalUserId, externalOrgId }));
  await auditing(members, { stores, deps }, () => stores.people.putUser(change, deps.clock.now()));
}

/**
 * Whoever changes a membership locks its org first, so that of two deliveries at once the second sees what the first has changed.
 * A word that is older than any changes nothing, and locks an org that was deleted too.
 */
async function lockOrg(externalId: string, { people }: ControlStores, { clock }: WordDeps): Promise<void> {
  const order = changeOrder(0, "token");
  await people.putOrg({ externalId, order, name: null, isDeleted: false }, clock.now());
}

/** Returns the id of an org that was there before this word deleted it. */
async function storeOrg(
  { change }: OrgWord,
  { orgs, people }: ControlStores,
  { clock }: WordDeps,
): Promise<readonly string[]> {
  const before = change.isDeleted ? await orgs.list() : [];
  await people.putOrg(change, clock.now());
  return before.filter(({ externalId }) => externalId === change.externalId).map(({ id }) => id);
}

async function storeMembership(
  { change, unknownRole }: MembershipWord,
  stores: ControlStores,
  deps: WordDeps,
): Promise<void> {
  if (unknownRole !== null)
    deps.log.warn({ role: unknownRole }, "an unknown role of the identity provider counts as member");
  await auditing([change], { stores, deps }, () => stores.people.putMembership(change, deps.clock.now()));
}

interface Auditing {
  readonly stores: ControlStores;
  readonly deps: WordDeps;
}

/** Audits what `work` changes of who may do what, and nothing else: deliveries repeat, and come late. */
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
    const deed = {
      action: "member.sync",
      targetType: "member",
      targetId: is.userId,
      // A deleted user has no name any more.
      summary: summaryOf(from, to, nameOf(is) ?? (was && nameOf(was)) ?? member.externalUserId),
      diff: fieldDiff({ role: from }, { role: to }, ["role"]),
    };
    await audit.record(auditEntry({ ...ACTOR, orgId: is.orgId }, deed, deps));
  }
}

/** Null: no member. */
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
