import { admin as operations } from "@assay/contract";
import { auditEntry } from "../../audit-entry.ts";
import { definePlatformRoute } from "../../http/define-route.ts";
import { DEAD_LETTERS_LOCK } from "../../worker/erasure.ts";

const LISTED = 100;

export const listDeadLetters = definePlatformRoute(operations.listDeadLetters, async (_call, { queue }) => {
  const [count, items] = await Promise.all([queue.countBuried(), queue.listBuried(LISTED)]);
  return { count, items };
});

/** A replay is a redelivery: events that were stored meanwhile are not stored again. */
export const replayDeadLetters = definePlatformRoute(
  operations.replayDeadLetters,
  async ({ body, caller }, deps) => {
    const replayed = await deps.control.withLock(DEAD_LETTERS_LOCK, () =>
      deps.queue.replayBuried(body.ids ?? null),
    );
    const summary = replayed === 1 ? "Replayed 1 dead letter." : `Replayed ${replayed} dead letters.`;
    const entry = { action: "dead-letters.replay", targetType: "queue", targetId: "dead-letters", summary };
    const { orgId } = caller;
    if (replayed > 0 && orgId !== null)
      await deps.control.audit.record(auditEntry({ ...caller, orgId }, entry, deps));
    if (replayed > 0)
      deps.log.info({ userId: caller.userId, replayed }, "a platform owner replayed dead letters");
    return { replayed };
  },
);
