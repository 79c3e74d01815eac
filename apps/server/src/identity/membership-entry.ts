import type { Access, AuditEntry, Role } from "@assay/domain";
import { auditEntry } from "../audit-entry.ts";
import type { Deps } from "../deps.ts";
import { fieldDiff } from "../field-diff.ts";
import type { IdentityProvider } from "./identity-provider.ts";

/** How a membership changed, in the audit's terms. */
const WAYS = {
  token: "by a session token",
  "command-line": "by the command line",
  webhook: "by webhook",
  invitation: "by invitation",
  ticket: "by the sign-in link that the service printed",
} as const;

export type MembershipWay = keyof typeof WAYS;

/** The actor when no member changes a membership. */
export interface MembershipActor {
  readonly userId: string;
  readonly name: string;
  readonly email: string;
}

export interface MembershipChange {
  /** Null: nothing was known. */
  readonly before: Access | null;
  readonly after: Access;
  readonly action: string;
  readonly actor: MembershipActor;
  readonly way: MembershipWay;
  /** The person's external id, for somebody without email and name. */
  readonly externalUserId: string;
}

/** Creates the audit entry of a change of role, a join or a removal; null when the role did not change. */
export function membershipEntry(
  { before, after, action, actor, way, externalUserId }: MembershipChange,
  deps: Pick<Deps, "clock" | "newId">,
): AuditEntry | null {
  const [from, to] = [roleOf(before), roleOf(after)];
  if (from === to) return null;
  // A deleted user no longer has a name.
  const who = nameOf(after) ?? (before && nameOf(before)) ?? externalUserId;
  const entry = {
    action,
    targetType: "member",
    targetId: after.userId,
    summary: `${summaryOf(from, to, who)}, ${WAYS[way]}.`,
    diff: fieldDiff({ role: from }, { role: to }, ["role"]),
  };
  return auditEntry({ ...actor, orgId: after.orgId }, entry, deps);
}

/** The actor behind a session token. Only the command line signs local tokens with a role of its own choice. */
export function speakerOf(identity: Pick<IdentityProvider, "kind"> & { readonly issuer?: string }): {
  readonly actor: MembershipActor;
  readonly way: MembershipWay;
} {
  if (identity.kind === "local")
    return { actor: { userId: "command-line", name: "Command line", email: "" }, way: "command-line" };
  const name = identity.kind === "clerk" ? "Clerk" : (identity.issuer ?? identity.kind);
  return { actor: { userId: "identity-provider", name, email: "" }, way: "token" };
}

/** Returns the role; null for someone who is not a member. */
export function roleOf(access: Access | null): Role | null {
  return access === null || access.isRemoved || access.isUserDeleted ? null : access.role;
}

function nameOf({ email, name }: Access): string | null {
  return email || name || null;
}

function summaryOf(from: Role | null, to: Role | null, who: string): string {
  if (to === null) return `Removed ${who}`;
  return from === null ? `Added ${who} as ${to}` : `Made ${who} ${to}`;
}
