import { inbox as operations } from "@assay/contract";
import { type InboxItem, toInstant } from "@assay/domain";
import { defineRoute } from "../../http/define-route.ts";
import { toPageQuery, toWirePage } from "../../http/page.ts";

export const listInbox = defineRoute(operations.listInbox, async ({ query }, { control }) => {
  return toWirePage(await control.inbox.list(toPageQuery(query)), toWire);
});

function toWire(item: InboxItem) {
  const { kind, id, message } = item;
  const at = toInstant(item.at);
  if (kind === "contact") {
    const { name, email, company } = item;
    return { kind, id, at, name, email, company, message };
  }
  const { orgId, orgName, author, category, page } = item;
  return { kind, id, at, org_id: orgId, org_name: orgName, author, category, message, page };
}
