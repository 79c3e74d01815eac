import { type Caller, DomainError, type Experiment, type ExperimentReplay } from "@assay/domain";
import { replayExperiment } from "@assay/pipeline";
import { auditEntry } from "../audit-entry.ts";
import type { Deps } from "../deps.ts";
import { waitForDrainOrWarn } from "../worker/wait-for-drain.ts";
import { pipelineDeps } from "./run-nightly.ts";

const SETTLE_MS = 5_000;

/**
 * Replays an experiment on all events received so far, and stores the replay in place of the previous one, with an
 * audit entry. Throws `replay-under-way` while this process replays an experiment of the org.
 */
export async function runReplay(
  experiment: Experiment,
  caller: Caller,
  deps: Deps,
): Promise<ExperimentReplay> {
  const { orgId } = experiment;
  if (deps.replaying.has(orgId))
    throw new DomainError(
      "replay-under-way",
      "Wait for the other replay of this organization, and then start this one: it takes up to a minute.",
    );
  deps.replaying.add(orgId);
  try {
    deps.rateLimits.analyses.take(orgId);
    await waitForDrainOrWarn(SETTLE_MS, deps);
    const replay = await replayExperiment(experiment, deps.clock.now(), await pipelineDeps(orgId, deps));
    await keep(replay, caller, deps);
    return replay;
  } finally {
    deps.replaying.delete(orgId);
  }
}

async function keep(replay: ExperimentReplay, caller: Caller, deps: Deps): Promise<void> {
  const off = replay.metrics.filter(({ causes }) => causes.length > 0);
  const entry = {
    action: "experiment.replay",
    targetType: "experiment",
    targetId: replay.experimentId,
    summary: `Replayed the control arm: ${off.length} of ${replay.metrics.length} metrics need a look.`,
  };
  await deps.control.transaction(async ({ experiments, replays, audit }) => {
    // It may have been deleted meanwhile.
    await experiments.get(caller.orgId, replay.experimentId);
    await replays.put(caller.orgId, replay);
    await audit.record(auditEntry(caller, entry, deps));
  });
}
