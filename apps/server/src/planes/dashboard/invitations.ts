import { members as operations } from "@assay/contract";
import {
  type Access,
  type Caller,
  type ControlStores,
  DomainError,
  invalidBody,
  mayChangeMember,
  type Org,
  type Role,
} from "@assay/domain";
import { auditEntry } from "../../audit-entry.ts";
import type { Deps } from "../../deps.ts";
import { defineRoute } from "../../http/define-route.ts";
import { ownOrigin } from "../../http/own-origin.ts";
import { toPageQuery } from "../../http/page.ts";
import { localSubject } from "../../identity/local-identity.ts";
import { rejectOldSignIn } from "../../identity/recent-sign-in.ts";
import { createSignInLink, INVITATION_MS } from "../../identity/sign-in-links.ts";

export const createInvitation = defineRoute(
  operations.createInvitation,
  async ({ body, caller, request, reply }, deps) => {
    const invited = { ...body, email: body.email.toLowerCase() };
    rejectPlatformOwner(invited.email, caller, deps);
    const { token, link } = await deps.control.transaction((stores) =>
      invite(invited, { caller, stores, deps }),
    );
    reply.header("cache-control", "no-store");
    // With a provider, the next sign-in with this email uses up the invitation. A direct link would bypass the provider.
    const ticket = deps.identity.kind === "local" ? `#ticket=${token}` : "";
    return { ...link, url: `${ownOrigin(request)}/sign-in${ticket}` };
  },
);

export const listInvitations = defineRoute(
  operations.listInvitations,
  async ({ query, caller }, { control, clock }) => {
    const { externalId } = await orgOf(caller, control);
    return control.signInLinks.listInvitations(externalId, clock.now(), toPageQuery(query));
  },
);

export const revokeInvitation = defineRoute(
  operations.revokeInvitation,
  ({ params, caller }, { control, ...deps }) =>
    control.transaction(async (stores) => {
      const { externalId } = await orgOf(caller, stores);
      const link = await stores.signInLinks.revokeInvitation(externalId, params.id);
      if (link === null)
        throw new DomainError(
          "invitation-not-found",
          "No pending invitation of your organization has this id.",
        );
      const summary = `Revoked the invitation of ${link.email} as ${link.role}.`;
      const entry = {
        action: "member.invitation-revoke",
        targetType: "member",
        targetId: link.email,
        summary,
      };
      await stores.audit.record(auditEntry(caller, entry, deps));
    }),
);

interface Invited {
  readonly email: string;
  readonly role?: Role;
  readonly name?: string;
}

interface Inviting {
  readonly caller: Caller;
  readonly stores: ControlStores;
  readonly deps: Deps;
}

/** Makes the link. A current member who lost their session keeps their role. */
async function invite(invited: Invited, { caller, stores, deps }: Inviting) {
  const { email } = invited;
  await stores.orgs.lock(caller.orgId);
  const org = await orgOf(caller, stores);
  const named = { externalUserId: localSubject(email), externalOrgId: org.externalId };
  const member = presentOf(await stores.people.findAccess(named));
  const role = invited.role ?? member?.role ?? "member";
  rejectRole(invited, role, { caller, member });
  // The link gives a recent sign-in. Without this check, an admin could make one for themselves.
  if (role !== "member") rejectOldSignIn(caller, deps);
  const now = deps.clock.now();
  // Only the newest link works.
  await stores.signInLinks.revokeInvitationsOf(org.externalId, email);
  const seats = await deps.plans.seats(org.id, stores);
  if (seats !== null && !member?.hasSeat) await rejectWhenFull(org, seats, { now, stores });
  const name = invited.name ?? (member?.name || email);
  const subject = { email, name, role, externalOrgId: org.externalId };
  const made = await createSignInLink(
    subject,
    { kind: "invitation", lifetimeMs: INVITATION_MS },
    { ...deps, control: stores },
  );
  const summary =
    member === null ? `Invited ${email} as ${role}.` : `Made a new sign-in link for ${email}, ${role}.`;
  const entry = { action: "member.invite", targetType: "member", targetId: email, summary };
  await stores.audit.record(auditEntry(caller, entry, deps));
  return made;
}

/** A link signs in as the person it names, so nobody may make one for a person with more rights than their own. */
function rejectPlatformOwner(email: string, caller: Caller, deps: Deps): void {
  if (deps.isPlatformOwner(email) && !caller.isPlatformOwner)
    throw new DomainError(
      "platform-owner-required",
      `${email} is a platform owner: only one of them can make this link.`,
    );
}

function rejectRole(
  { email }: Invited,
  role: Role,
  { caller, member }: { readonly caller: Caller; readonly member: Access | null },
): void {
  const from = member?.role ?? null;
  if (!mayChangeMember(caller.role, { from, to: role }))
    throw new DomainError(
      "role-required",
      from === "owner"
        ? `${email} is an owner here: only an owner can make this link.`
        : "Only an owner can invite an owner.",
    );
  if (from !== null && from !== role)
    throw invalidBody([
      {
        pointer: "/role",
        detail: `${email} is already ${from} here: change that with PUT /v1/members/{id}, or leave the role out for a new sign-in link.`,
      },
    ]);
}

/** An invitation reserves a seat for as long as it can be used. Throws `seats-exhausted`. */
async function rejectWhenFull(
  { id, externalId }: Org,
  seats: number,
  { now, stores }: { readonly now: number; readonly stores: ControlStores },
): Promise<void> {
  const taken = await stores.people.countSeats(id);
  const invited = await countSeatless(externalId, now, stores);
  if (taken + invited < seats) return;
  throw new DomainError(
    "seats-exhausted",
    `${taken + invited} of the plan's ${seats} seats are taken: ${taken} by members, ${invited} by pending invitations. ` +
      "Remove a member, revoke an invitation, or move to a larger plan.",
  );
}

async function countSeatless(externalOrgId: string, now: number, stores: ControlStores): Promise<number> {
  let count = 0;
  for (const email of await stores.signInLinks.listInvited(externalOrgId, now)) {
    const externalUserId = localSubject(email);
    const member = presentOf(await stores.people.findAccess({ externalUserId, externalOrgId }));
    if (!member?.hasSeat) count += 1;
  }
  return count;
}

function presentOf(access: Access | null): Access | null {
  return access === null || access.isRemoved || access.isUserDeleted ? null : access;
}

async function orgOf(caller: Caller, { orgs }: Pick<ControlStores, "orgs">): Promise<Org> {
  const org = await orgs.find(caller.orgId);
  if (org === null) throw new DomainError("org-not-found", "Your organization was deleted.");
  return org;
}
