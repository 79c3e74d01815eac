import { DAY_MS, type Removal } from "@assay/domain";
import type { Deps } from "../deps.ts";
import { describeError } from "./store-batches.ts";
import { waitForDrain } from "./wait-for-drain.ts";

const DRAIN_MS = 5_000;
/** A process that is cut off from the control plane stores events of a deleted experiment until it learns of the deletion. */
const REPEATED_FOR_MS = DAY_MS;

type RemoveDeps = Pick<Deps, "log"> & {
  readonly queue: Parameters<typeof waitForDrain>[1]["queue"];
  readonly events: Pick<Deps["events"], "removeExperiment">;
};

/**
 * Removes the events of an experiment that was just deleted. The queue drops its events from then on, so what is left in it is
 * waited for first. A failure is logged, because `removalTask` removes the events again.
 */
export async function removeEvents({ orgId, experimentId }: Removal, deps: RemoveDeps): Promise<void> {
  try {
    await waitForDrain(DRAIN_MS, deps);
    await deps.events.removeExperiment(orgId, experimentId);
  } catch (error) {
    deps.log.warn(
      { ...describeError(error), orgId, experimentId },
      "could not remove the events of a deleted experiment; this is retried",
    );
  }
}

/** Makes the task that removes the events of experiments deleted in the last day: what a crash left, and what was stored late. */
export function removalTask({
  control,
  events,
  clock,
}: Pick<Deps, "clock"> & {
  readonly control: {
    readonly experiments: Pick<Deps["control"]["experiments"], "listRemovals" | "forgetRemovals">;
  };
  readonly events: RemoveDeps["events"];
}): () => Promise<void> {
  return async () => {
    const now = clock.now();
    for (const { orgId, experimentId } of await control.experiments.listRemovals())
      await events.removeExperiment(orgId, experimentId);
    await control.experiments.forgetRemovals(now - REPEATED_FOR_MS);
  };
}
