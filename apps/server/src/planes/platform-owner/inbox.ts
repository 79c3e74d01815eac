import { inbox as operations } from "@assay/contract";
import { definePlatformRoute } from "../../http/define-route.ts";
import { toPageQuery } from "../../http/page.ts";

export const listInbox = definePlatformRoute(operations.listInbox, ({ query }, { control }) =>
  control.inbox.list(toPageQuery(query)),
);
