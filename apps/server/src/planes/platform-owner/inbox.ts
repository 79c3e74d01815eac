import { inbox as operations } from "@assay/contract";
import { defineRoute } from "../../http/define-route.ts";
import { toPageQuery } from "../../http/page.ts";

export const listInbox = defineRoute(operations.listInbox, ({ query }, { control }) =>
  control.inbox.list(toPageQuery(query)),
);
