import { experiments as operations } from "@assay/contract";
import { type HealthCheck, toInstant } from "@assay/domain";
import { defineRoute } from "../../http/define-route.ts";
import { readHealth } from "../../pipeline/read-health.ts";

export const getHealth = defineRoute(operations.getHealth, async ({ params, caller }, deps) => {
  const experiment = await deps.control.experiments.get(caller.orgId, params.id);
  const { asOf, checks, computedFor, remarks } = await readHealth(experiment, deps);
  return {
    experiment_id: experiment.id,
    as_of: toInstant(asOf),
    computed_for: computedFor,
    checks: checks.map(toWireCheck),
    remarks,
  };
});

function toWireCheck({ since, ...check }: HealthCheck) {
  return { ...check, since: since === null ? null : toInstant(since) };
}
