import { experiments as operations } from "@assay/contract";
import { DAY_MS, type ExperimentResults, type HealthCheck, runSeed, toInstant } from "@assay/domain";
import { experimentHealth, healthQuery, periodsUntil, srmGate } from "@assay/pipeline";
import { defineRoute } from "../../http/define-route.ts";
import { loadExperimentPrices } from "../../prices/price-lists.ts";

export const getHealth = defineRoute(operations.getHealth, async ({ params, caller }, deps) => {
  const { control, events, clock } = deps;
  const experiment = await control.experiments.get(caller.orgId, params.id);
  const { orgId, id: experimentId } = experiment;
  const asOf = clock.now();
  const versions = (await control.experiments.listVersions(orgId, experimentId)).toReversed();
  const periods = periodsUntil(versions, asOf + 1);
  const periodStarts = periods.slice(1).map(({ startsAt }) => startsAt);
  const prices = await loadExperimentPrices(experiment, deps);
  const arms = { orgId, experimentId, until: asOf + 1, periodStarts, metrics: [], prices: [], sample: null };
  const [{ exposures }, health, run] = await Promise.all([
    events.loadArms(arms),
    // Clocks that are ahead are to be seen: ingest takes what is up to a day in the future.
    events.loadHealth(healthQuery(experiment, asOf + DAY_MS + 1, prices)),
    control.results.find(orgId, experimentId),
  ]);
  const srm = srmGate(exposures, periods, { seed: runSeed(experimentId) });
  return {
    experiment_id: experimentId,
    as_of: toInstant(asOf),
    computed_for: run?.label ?? null,
    checks: experimentHealth({ experiment, periods, exposures, srm, health }).map(toWireCheck),
    // The store keeps a run's body as the JSON that `put` was given.
    remarks:
      run === null ? [] : (run.body as unknown as ExperimentResults).health.map((entry) => ({ ...entry })),
  };
});

function toWireCheck({ since, arms, ...check }: HealthCheck) {
  return { ...check, since: since === null ? null : toInstant(since), arms: { ...arms } };
}
