import { admin as operations } from "@assay/contract";
import { toInstant } from "@assay/domain";
import { auditEntry } from "../../audit-entry.ts";
import { defineRoute } from "../../http/define-route.ts";

const LISTED = 100;

export const listDeadLetters = defineRoute(operations.listDeadLetters, async (_call, { queue }) => {
  const [count, letters] = await Promise.all([queue.countBuried(), queue.listBuried(LISTED)]);
  return {
    count,
    items: letters.map(({ id, orgId, receivedAt, buriedAt, reason, bytes }) => ({
      id,
      org_id: orgId,
      received_at: toInstant(receivedAt),
      buried_at: toInstant(buriedAt),
      reason,
      bytes,
    })),
  };
});

/** Events that were stored meanwhile are stored once: a replay is a redelivery like any other. */
export const replayDeadLetters = defineRoute(operations.replayDeadLetters, async ({ body, caller }, deps) => {
  const replayed = await deps.queue.replayBuried(body.ids ?? null);
  const summary = replayed === 1 ? "Replayed 1 dead letter." : `Replayed ${replayed} dead letters.`;
  const deed = { action: "dead-letters.replay", targetType: "queue", targetId: "dead-letters", summary };
  if (replayed > 0) await deps.control.audit.record(auditEntry(caller, deed, deps));
  return { replayed };
});
