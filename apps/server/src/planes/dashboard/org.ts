import { org as operations } from "@assay/contract";
import { type Caller, DomainError, roleAllows, toInstant } from "@assay/domain";
import { auditEntry } from "../../audit-entry.ts";
import type { Deps } from "../../deps.ts";
import { defineRoute } from "../../http/define-route.ts";
import { localSubject } from "../../identity/local-identity.ts";
import { createSignInToken, INVITATION_MS } from "../../identity/sign-in-links.ts";

export const getWhoAmI = defineRoute(operations.getWhoAmI, async ({ caller }) => ({
  org_id: caller.orgId,
  user_id: caller.userId,
  role: caller.role,
  email: caller.email,
  name: caller.name,
  platform_owner: caller.isPlatformOwner,
}));

export const createInvitation = defineRoute(
  operations.createInvitation,
  async ({ body, caller, reply }, deps) => {
    const { role = "member" } = body;
    const email = body.email.toLowerCase();
    await rejectImpersonation(email, caller, deps);
    const org = await deps.control.orgs.find(caller.orgId);
    if (org === null) throw new Error("The caller's org is gone.");
    const subject = { email, name: body.name ?? email, role, externalOrgId: org.externalId };
    const token = await createSignInToken(subject, INVITATION_MS, deps);
    const summary = `Invited ${email} as ${role}.`;
    const deed = { action: "member.invite", targetType: "member", targetId: email, summary };
    await deps.control.audit.record(auditEntry(caller, deed, deps));
    reply.header("cache-control", "no-store");
    return {
      url: `${deps.publicUrl()}/sign-in#ticket=${token}`,
      email,
      role,
      expires_at: toInstant(deps.clock.now() + INVITATION_MS),
    };
  },
);

/** Whoever opens a link is the person it names: nobody may make one for somebody with more rights than their own. */
async function rejectImpersonation(email: string, caller: Caller, deps: Deps): Promise<void> {
  const members = await deps.control.orgs.listMembers(caller.orgId);
  const member = members.find(({ externalId }) => externalId === localSubject(email));
  if (member && !roleAllows(caller.role, member.role)) {
    throw new DomainError(
      "role-required",
      `${email} is ${member.role} here: only an ${member.role} can make this link.`,
    );
  }
  if (deps.isPlatformOwner(email) && !caller.isPlatformOwner) {
    throw new DomainError(
      "platform-owner-required",
      `${email} is a platform owner: only one of them can make this link.`,
    );
  }
}

export const listAudit = defineRoute(operations.listAudit, async ({ query, caller }, { control }) => {
  const { target_id: targetId, limit = 50, cursor } = query;
  const page = await control.audit.list(caller.orgId, {
    limit,
    ...(targetId === undefined ? {} : { targetId }),
    ...(cursor === undefined ? {} : { cursor }),
  });
  return {
    items: page.items.map((entry) => ({
      id: entry.id,
      at: toInstant(entry.at),
      actor: entry.actor,
      action: entry.action,
      target_type: entry.targetType,
      target_id: entry.targetId,
      summary: entry.summary,
      diff: entry.diff,
    })),
    next_cursor: page.nextCursor,
  };
});
