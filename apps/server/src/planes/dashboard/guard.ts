import { experiments as operations } from "@assay/contract";
import { nextStageAt, openHold } from "@assay/domain";
import { defineRoute } from "../../http/define-route.ts";

export const getGuard = defineRoute(operations.getGuard, async ({ params, caller }, { control }) => {
  const { id, config } = await control.experiments.get(caller.orgId, params.id);
  const look = config.guard === null ? null : await control.guardLooks.find(caller.orgId, id);
  const { rollout, status } = config;
  const isRunning = status === "running" && openHold(config) === null;
  return {
    experimentId: id,
    lookedAt: look?.at ?? null,
    from: look?.from ?? null,
    signals: look?.signals ?? [],
    nextStageAt: isRunning && rollout !== null ? nextStageAt(rollout) : null,
  };
});
