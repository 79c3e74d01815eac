import type { Caller } from "@assay/domain";
import { auditEntry } from "../audit-entry.ts";
import type { Deps } from "../deps.ts";
import { settleQueue } from "../worker/settle-queue.ts";
import { demoIdOf, findDemo } from "./find-demo.ts";

const SETTLE_MS = 5_000;

/** Removes the demo and all that belongs to it from the caller's org; what a load or removal left that was cut off, too. */
export function removeDemo(caller: Caller, deps: Deps): Promise<void> {
  return deps.demoTurns(caller.orgId, async () => {
    await removeExperiment(caller, deps);
    // What was accepted for it and waits in the queue is dropped there, now that there is no such experiment.
    await settleQueue(SETTLE_MS, deps);
    await deps.events.removeExperiment(caller.orgId, demoIdOf(caller.orgId));
  });
}

async function removeExperiment(caller: Caller, { control, snapshots, ...deps }: Deps): Promise<void> {
  const { orgId } = caller;
  await control.transaction(async ({ experiments, audit, orgs }) => {
    const demo = await findDemo(orgId, { experiments });
    if (demo === null || !(await experiments.remove(orgId, demo.id))) return;
    const summary = `Removed the demo experiment "${demo.config.name}".`;
    const deed = { action: "demo.remove", targetType: "experiment", targetId: demo.id, summary };
    await audit.record(auditEntry(caller, deed, deps));
    await orgs.bumpConfigVersion(orgId);
  });
  snapshots.invalidate(orgId);
}
