import { experiments as operations } from "@assay/contract";
import { DomainError } from "@assay/domain";
import { defineRoute } from "../../http/define-route.ts";
import { runReplay } from "../../pipeline/run-replay.ts";

export const replayExperiment = defineRoute(operations.replayExperiment, async ({ params, caller }, deps) => {
  const experiment = await deps.control.experiments.get(caller.orgId, params.id);
  return runReplay(experiment, caller, deps);
});

export const getReplay = defineRoute(operations.getReplay, async ({ params, caller }, { control }) => {
  const { id } = await control.experiments.get(caller.orgId, params.id);
  const replay = await control.replays.find(caller.orgId, id);
  if (replay === null)
    throw new DomainError(
      "replay-not-found",
      "Start a replay with POST to this address; it takes up to a minute.",
    );
  return replay;
});
