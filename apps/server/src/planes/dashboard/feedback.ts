import { inbox as operations } from "@assay/contract";
import { defineRoute } from "../../http/define-route.ts";
import { toPageQuery } from "../../http/page.ts";

export const listFeedback = defineRoute(operations.listFeedback, async ({ query, caller }, { control }) => {
  return control.inbox.listFeedback(caller.orgId, toPageQuery(query));
});

export const postFeedback = defineRoute(operations.postFeedback, async ({ body, caller }, deps) => {
  const { message, category, page = null } = body;
  const { orgId, userId: id, name, email } = caller;
  const at = deps.clock.now();
  const feedback = { id: deps.newId(), orgId, at, author: { id, name, email }, category, message, page };
  await deps.control.inbox.putFeedback(feedback);
  return feedback;
});
