import { experiments as operations } from "@assay/contract";
import { DomainError, type Experiment, TEST_USER_PREFIX, toInstant } from "@assay/domain";
import type { Deps } from "../../deps.ts";
import { defineRoute } from "../../http/define-route.ts";
import { auditEntry } from "./audit-entry.ts";

const ACTION = "experiment.test-event";
const LIMIT = 5;
const HOUR_MS = 3_600_000;

/** Sends one exposure of a test user to control (spec §4). The audit trail is the limit's memory, so restarts and further processes do not widen it. */
export const postTestEvent = defineRoute(operations.postTestEvent, async ({ params, caller }, deps) => {
  const now = deps.clock.now();
  const experiment = await deps.control.transaction(async ({ experiments, audit }) => {
    const locked = await experiments.lock(caller.orgId, params.id);
    const sent = await audit.count(caller.orgId, {
      action: ACTION,
      targetId: locked.id,
      since: now - HOUR_MS,
    });
    if (sent >= LIMIT) throw tooMany(sent);
    const deed = {
      action: ACTION,
      targetType: "experiment",
      targetId: locked.id,
      summary: "Sent a test event.",
    };
    await audit.record(auditEntry(caller, deed, deps));
    return locked;
  });
  await deps.queue.append(
    { orgId: caller.orgId, receivedAt: now, rejected: [], experiments: { [experiment.id]: experiment.id } },
    Buffer.from(JSON.stringify([testExposure(experiment, now, deps)])),
  );
  return undefined;
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

function tooMany(sent: number): DomainError {
  return new DomainError(
    "test-event-limit",
    `${sent} test events were sent in the last hour; ${LIMIT} are allowed. Try again later.`,
    {
      retryAfterSeconds: HOUR_MS / 1000,
    },
  );
}
