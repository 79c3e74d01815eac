import { experiments as operations } from "@assay/contract";
import { DomainError, type Experiment, TEST_USER_PREFIX, toInstant, toRetrySeconds } from "@assay/domain";
import { auditEntry } from "../../audit-entry.ts";
import type { Deps } from "../../deps.ts";
import { defineRoute } from "../../http/define-route.ts";
import { acceptBatch } from "../../ingest/accept-batch.ts";

const ACTION = "experiment.test-event";
const LIMIT = 5;
const HOUR_MS = 3_600_000;

/** Sends one exposure of a test user to control (spec §4). The limit counts audit entries, so all processes share it. */
export const postTestEvent = defineRoute(operations.postTestEvent, async ({ params, caller }, deps) => {
  const now = deps.clock.now();
  const experiment = await deps.control.transaction(async ({ experiments, audit }) => {
    const locked = await experiments.lock(caller.orgId, params.id);
    const filter = { action: ACTION, targetId: locked.id, since: now - HOUR_MS };
    const sentAt = await audit.listTimes(caller.orgId, filter);
    if (sentAt.length >= LIMIT) throw tooMany(sentAt, now);
    const summary = "Sent a test event.";
    const entry = { action: ACTION, targetType: "experiment", targetId: locked.id, summary };
    await audit.record(auditEntry(caller, entry, deps));
    return locked;
  });
  const rows = [testExposure(experiment, now, deps)];
  const sender = {
    orgId: caller.orgId,
    provenance: { source: "test", keyPrefix: null, client: null },
  } as const;
  const { exhausted } = await acceptBatch(sender, { rows, body: Buffer.from(JSON.stringify(rows)) }, deps);
  if (exhausted !== null) throw exhausted;
});

function testExposure({ id, config }: Experiment, now: number, { newId }: Pick<Deps, "newId">) {
  return {
    event_id: newId(),
    type: "exposure",
    experiment_id: id,
    user_id: `${TEST_USER_PREFIX}${newId()}`,
    timestamp: toInstant(now),
    variant: config.control,
    metadata: { assay_test: true },
  };
}

/** There is room again an hour after the oldest of the last five. */
function tooMany(sentAt: readonly number[], now: number): DomainError {
  const freeAt = (sentAt.at(-LIMIT) ?? now) + HOUR_MS;
  return new DomainError(
    "test-event-limit",
    `${sentAt.length} test events were sent in the last hour; ${LIMIT} are allowed. The next one can be sent at ${toInstant(freeAt)}.`,
    {
      retryAfterSeconds: toRetrySeconds(freeAt - now),
      limit: { policy: "test-events", quota: LIMIT, windowSeconds: HOUR_MS / 1000 },
    },
  );
}
