import type { Access, ControlStores, MembershipChange, Role } from "@assay/domain";
import { auditEntry } from "../audit-entry.ts";
import type { Deps } from "../deps.ts";
import { fieldDiff } from "../field-diff.ts";
import type { IdentityWord } from "./clerk-event.ts";

const ACTOR = { userId: "identity-provider", name: "Clerk", email: "" };

type WordDeps = Pick<Deps, "control" | "clock" | "newId" | "log">;
type OrgWord = Extract<IdentityWord, { kind: "org" }>;
type MembershipWord = Extract<IdentityWord, { kind: "membership" }>;

/** Stores what one event says, all of it or nothing. Returns the ids of the orgs that it deletes. */
export function storeWords(words: readonly IdentityWord[], deps: WordDeps): Promise<readonly string[]> {
  return deps.control.transaction(async (stores) => {
    const deleted: string[] = [];
    for (const word of words) {
      if (word.kind === "membership") await storeMembership(word, stores, deps);
      else if (word.kind === "user") await stores.people.putUser(word.change, deps.clock.now());
      else deleted.push(...(await storeOrg(word, stores, deps)));
    }
    return deleted;
  });
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

/** Audited only when it changes who may do what: deliveries repeat, and come late. */
async function storeMembership(
  { change, unknownRole }: MembershipWord,
  { people, audit }: ControlStores,
  deps: WordDeps,
): Promise<void> {
  if (unknownRole !== null)
    deps.log.warn({ role: unknownRole }, "an unknown role of the identity provider counts as member");
  const now = deps.clock.now();
  const from = roleOf(await people.findAccess(change));
  await people.putMembership(change, now);
  const access = await people.findAccess(change);
  const to = roleOf(access);
  if (access === null || from === to) return;
  const deed = {
    action: "member.sync",
    targetType: "member",
    targetId: access.userId,
    summary: summaryOf(from, to, nameOf(access, change)),
    diff: fieldDiff({ role: from }, { role: to }, ["role"]),
  };
  await audit.record(auditEntry({ ...ACTOR, orgId: access.orgId }, deed, deps));
}

/** Null: no member. */
function roleOf(access: Access | null): Role | null {
  return access === null || access.isRemoved ? null : access.role;
}

function nameOf({ email, name }: Access, { externalUserId }: MembershipChange): string {
  return email || name || externalUserId;
}

function summaryOf(from: Role | null, to: Role | null, who: string): string {
  if (to === null) return `Removed ${who}.`;
  return from === null ? `Added ${who} as ${to}.` : `Made ${who} ${to}.`;
}
