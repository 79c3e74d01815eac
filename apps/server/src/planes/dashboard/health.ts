import { experiments as operations } from "@assay/contract";
import { defineRoute } from "../../http/define-route.ts";
import { readHealth } from "../../pipeline/read-health.ts";

export const getHealth = defineRoute(operations.getHealth, async ({ params, caller }, deps) => {
  const experiment = await deps.control.experiments.get(caller.orgId, params.id);
  return { experimentId: experiment.id, ...(await readHealth(experiment, deps)) };
});
