import { org as operations } from "@assay/contract";
import { toInstant } from "@assay/domain";
import { defineRoute } from "../../http/define-route.ts";
import { createSignInToken, INVITATION_MS } from "../../identity/sign-in-links.ts";
import { auditEntry } from "./audit-entry.ts";

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
    const { email, role = "member", name = email } = body;
    const org = await deps.control.orgs.find(caller.orgId);
    if (org === null) throw new Error("The caller's org is gone.");
    const subject = { email: email.toLowerCase(), name, role, externalOrgId: org.externalId };
    const token = await createSignInToken(subject, INVITATION_MS, deps);
    const deed = {
      action: "member.invite",
      targetType: "member",
      targetId: subject.email,
      summary: `Invited ${subject.email} as ${role}.`,
    };
    await deps.control.audit.record(auditEntry(caller, deed, deps));
    reply.header("cache-control", "no-store");
    return {
      url: `${deps.publicUrl()}/sign-in#ticket=${token}`,
      email: subject.email,
      role,
      expires_at: toInstant(deps.clock.now() + INVITATION_MS),
    };
  },
);

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
