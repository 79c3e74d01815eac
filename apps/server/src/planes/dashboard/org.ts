import { org as operations } from "@assay/contract";
import { defineRoute } from "../../http/define-route.ts";
import { toPageQuery } from "../../http/page.ts";

export const getWhoAmI = defineRoute(operations.getWhoAmI, async ({ caller }, { control }) => ({
  ...caller,
  orgName: (await control.orgs.find(caller.orgId))?.name ?? "",
  platformOwner: caller.isPlatformOwner,
}));

export const listAudit = defineRoute(operations.listAudit, async ({ query, caller }, { control }) => {
  const { targetId, ...position } = query;
  return control.audit.list(caller.orgId, {
    ...toPageQuery(position),
    ...(targetId === undefined ? {} : { targetId }),
  });
});
