import { type Experiment, holdbackEnd, openHoldback } from "@assay/domain";
import { reportHoldback } from "@assay/pipeline";
import { SYSTEM } from "../audit-entry.ts";
import { endHoldback } from "../config/change-exposure.ts";
import type { Deps } from "../deps.ts";
import { pipelineDeps, STOPPED_GRACE_MS } from "../pipeline/run-nightly.ts";

/**
 * Makes the task that ends every holdback whose time is over, and analyzes the weeks that are due. The leader runs it.
 * A process wrongly taken for dead at most computes a week twice, from the same events.
 */
export function holdbackTask(deps: Deps): () => Promise<void> {
  return async () => {
    const { control, clock, log, stopping } = deps;
    for (const experiment of await control.experiments.listHoldbacks(clock.now() - STOPPED_GRACE_MS)) {
      if (stopping.aborted) return;
      await watch(experiment, deps).catch((error: unknown) => {
        const { id: experimentId, orgId } = experiment;
        log.warn({ err: error, orgId, experimentId }, "could not analyze a holdback; it is retried");
      });
    }
  };
}

async function watch(experiment: Experiment, deps: Deps): Promise<void> {
  const { orgId, id } = experiment;
  const open = openHoldback(experiment.config);
  const isOver = open !== null && holdbackEnd(open) <= deps.clock.now();
  const current = isOver ? await endHoldback({ ...SYSTEM, orgId }, id, deps) : experiment;
  const before = await deps.control.holdbackReports.find(orgId, id);
  const report = await reportHoldback(current, before, await pipelineDeps(orgId, deps));
  if (report !== null) await deps.control.holdbackReports.put(orgId, report);
}
