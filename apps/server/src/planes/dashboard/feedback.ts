import { inbox as operations } from "@assay/contract";
import { type Feedback, toInstant } from "@assay/domain";
import { defineRoute } from "../../http/define-route.ts";

export const listFeedback = defineRoute(operations.listFeedback, async ({ query, caller }, { control }) => {
  const { limit = 50, ...position } = query;
  const page = await control.inbox.listFeedback(caller.orgId, { limit, ...position });
  return { items: page.items.map(toWire), next_cursor: page.nextCursor };
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
