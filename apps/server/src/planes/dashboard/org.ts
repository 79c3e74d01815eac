import { org as operations } from "@assay/contract";
import { toInstant } from "@assay/domain";
import { defineRoute } from "../../http/define-route.ts";
import { toPageQuery, toWirePage } from "../../http/page.ts";

export const getWhoAmI = defineRoute(operations.getWhoAmI, async ({ caller }, { control }) => ({
  org_id: caller.orgId,
  org_name: (await control.orgs.find(caller.orgId))?.name ?? "",
  user_id: caller.userId,
  role: caller.role,
  email: caller.email,
  name: caller.name,
  platform_owner: caller.isPlatformOwner,
}));

export const listAudit = defineRoute(operations.listAudit, async ({ query, caller }, { control }) => {
  const { target_id: targetId, ...position } = query;
  const page = await control.audit.list(caller.orgId, {
    ...toPageQuery(position),
    ...(targetId === undefined ? {} : { targetId }),
  });
  return toWirePage(page, (entry) => ({
    id: entry.id,
    at: toInstant(entry.at),
    actor: entry.actor,
    action: entry.action,
    target_type: entry.targetType,
    target_id: entry.targetId,
    summary: entry.summary,
    diff: entry.diff,
  }));
});
