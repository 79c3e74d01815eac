import { inbox as operations } from "@assay/contract";
import { type Feedback, toInstant } from "@assay/domain";
import { defineRoute } from "../../http/define-route.ts";
import { toPageQuery, toWirePage } from "../../http/page.ts";

export const listFeedback = defineRoute(operations.listFeedback, async ({ query, caller }, { control }) => {
  return toWirePage(await control.inbox.listFeedback(caller.orgId, toPageQuery(query)), toWire);
});

export const postFeedback = defineRoute(operations.postFeedback, async ({ body, caller }, deps) => {
  const { message, category, page = null } = body;
  const { orgId, userId: id, name, email } = caller;
  const at = deps.clock.now();
  const feedback = { id: deps.newId(), orgId, at, author: { id, name, email }, category, message, page };
  await deps.control.inbox.putFeedback(feedback);
  return toWire(feedback);
});

function toWire({ id, at, author, category, message, page }: Feedback) {
  return { id, at: toInstant(at), author, category, message, page };
}
