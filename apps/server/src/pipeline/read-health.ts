import {
  DAY_MS,
  type Experiment,
  eventsOf,
  type HealthCheck,
  type HealthEntry,
  resultsOf,
  runSeed,
  variantsOfQaUsers,
} from "@assay/domain";
import {
  configuredModels,
  countUsers,
  experimentHealth,
  inShare,
  leaveOutExcluded,
  loadJudged,
  loadLoggedTraces,
  periodsUntil,
  runMetrics,
  srmGate,
} from "@assay/pipeline";
import type { Deps } from "../deps.ts";
import { loadExclusions } from "../exclusions/load-exclusions.ts";
import { loadExperimentPrices } from "../prices/price-lists.ts";

export interface HealthView {
  readonly asOf: number;
  readonly checks: readonly HealthCheck[];
  /** Label of the latest run; null before the first. */
  readonly computedFor: string | null;
  readonly remarks: readonly HealthEntry[];
}

/** Checks an experiment's current data, and repeats the remarks of the latest run. */
export async function readHealth(
  experiment: Experiment,
  { control, events, clock }: Pick<Deps, "control" | "events" | "clock">,
): Promise<HealthView> {
  const asOf = clock.now();
  const { orgId, id: experimentId } = experiment;
  const versions = (await control.experiments.listVersions(orgId, experimentId)).toReversed();
  const periods = periodsUntil(versions, asOf + 1);
  const periodStarts = periods.slice(1).map(({ startsAt }) => startsAt);
  const { prices } = await loadExperimentPrices(experiment, { control });
  const rows = eventsOf(experiment, await loadExclusions(experiment, { control }));
  const userIds = [...variantsOfQaUsers(experiment.config).keys()];
  const [{ arms, facts }, judged, run, qaUsersSeen] = await Promise.all([
    events.loadRun({
      ...{ ...rows, until: asOf + 1, periodStarts, prices, sample: null },
      // Includes events from clocks that run ahead: ingest accepts up to a day in the future.
      factsUntil: asOf + DAY_MS + 1,
      // Nothing here concerns metrics, but a night stores their state.
      metrics: runMetrics(experiment.config.metrics),
      configuredModels: configuredModels(experiment.config),
    }),
    loadJudged(experiment, asOf + 1, control.judgements).then((all) => leaveOutExcluded(all, rows, events)),
    control.results.find(orgId, experimentId),
    userIds.length === 0
      ? new Map<string, number>()
      : events.loadFirstSeen({ orgId, experimentId, userIds, until: asOf + DAY_MS + 1 }),
  ]);
  const loggedTraces = await loadLoggedTraces(
    facts.attribution,
    { ...rows, until: asOf + 1, periodStarts },
    events,
  );
  const exposures = inShare(arms.exposures, periods);
  const strayUsers = countUsers(arms.exposures) - countUsers(exposures);
  const srm = srmGate(exposures, periods, { seed: runSeed(experimentId) });
  return {
    asOf,
    checks: experimentHealth({
      ...{ experiment, periods, exposures, strayUsers, srm, ...facts, judged, qaUsersSeen, asOf },
      clusters: arms.clusters,
      loggedTraces: inShare(loggedTraces, periods),
      agentRuns: facts.agentRuns && inShare(facts.agentRuns, periods),
    }),
    computedFor: run?.label ?? null,
    remarks: run === null ? [] : resultsOf(run).health,
  };
}
