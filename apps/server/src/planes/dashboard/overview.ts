import { setImmediate as nextTurn } from "node:timers/promises";
import { completeRun, overview as operations, overviewAnswer } from "@assay/contract";
import {
  type ControlStores,
  dayOf,
  type Experiment,
  type ExperimentStore,
  experimentsOfUnits,
  hasEnded,
  resultsOf,
  startOfDay,
} from "@assay/domain";
import { loadAllExclusions } from "../../exclusions/load-exclusions.ts";
import { defineRoute } from "../../http/define-route.ts";
import { STOPPED_GRACE_MS } from "../../pipeline/run-nightly.ts";
import { loadOverview } from "../../report/load-overview.ts";
import { nextRunAt } from "../../worker/nightly-schedule.ts";
import { isListed } from "./is-listed.ts";

const HISTORY_NIGHTS = 120;
const LISTED_RUNS = 60;

export const listOverview = defineRoute(
  operations.listOverview,
  async ({ query, caller: { orgId } }, { control, events, clock }) => {
    const experiments = await control.experiments.list(orgId);
    const [counts, { formerNames, creators, runs, nights }] = await Promise.all([
      loadAllExclusions(orgId, experiments, { control }).then((exclusions) =>
        events.countExposures({ orgId, exclusions, ofUnits: experimentsOfUnits(experiments) }),
      ),
      loadStandings(orgId, control),
    ]);
    const countsOf = Map.groupBy(counts, ({ experimentId }) => experimentId);
    const runOf = new Map(runs.map((run) => [run.experimentId, run]));
    const nightOf = new Map(nights.map((night) => [night.experimentId, night]));
    const now = clock.now();
    const items = experiments.filter(isListed(query.status)).map((experiment) => {
      const { id } = experiment;
      const parts = {
        formerNames: formerNames.get(id) ?? [],
        createdBy: creators.get(id) ?? null,
        counts: countsOf.get(id) ?? [],
        lastRun: runOf.get(id) ?? null,
        lastNight: nightOf.get(id) ?? null,
      };
      return overviewAnswer(experiment, parts, now);
    });
    return { items };
  },
);

/** Reads from the control plane and yields in between, because SQLite blocks the event loop while other requests wait. */
async function loadStandings(orgId: string, { experiments, results, pipelineRuns }: ControlStores) {
  await nextTurn();
  const runs = await results.listLatestSummaries(orgId);
  await nextTurn();
  const [creators, nights] = [await experiments.listCreators(orgId), await pipelineRuns.listLatest(orgId)];
  const formerNames = await experiments.listFormerNames(orgId);
  await nextTurn();
  return { formerNames, creators, runs, nights };
}

export const getOverview = defineRoute(
  operations.getOverview,
  async ({ params, caller: { orgId } }, { control, events, clock }) => {
    const experiment = await control.experiments.get(orgId, params.id);
    return loadOverview(experiment, { control, events, clock });
  },
);

export const getResultsHistory = defineRoute(
  operations.getResultsHistory,
  async ({ params, caller: { orgId } }, { control }) => {
    const { id } = await control.experiments.get(orgId, params.id);
    const nights = await control.results.listNightlyBefore(orgId, id, { limit: HISTORY_NIGHTS });
    const runs = nights.map((night) => ({ ...completeRun(resultsOf(night)), revision: night.revision }));
    return { experimentId: id, runs };
  },
);

export const listNightlyRuns = defineRoute(
  operations.listNightlyRuns,
  async ({ params, caller: { orgId } }, { control, clock, nightlyAtMinutes }) => {
    const experiment = await control.experiments.get(orgId, params.id);
    const next = nextRunAt(clock.now(), nightlyAtMinutes);
    return {
      experimentId: experiment.id,
      nextRunAt: (await isAnalysedAt(next, experiment, control)) ? next : null,
      runs: await control.pipelineRuns.list(orgId, experiment.id, LISTED_RUNS),
    };
  },
);

/** Returns whether the nightly run at `next` would still analyze the experiment in its current state. */
async function isAnalysedAt(
  next: number,
  experiment: Experiment,
  { experiments }: { readonly experiments: Pick<ExperimentStore, "listVersions"> },
): Promise<boolean> {
  const { status } = experiment.config;
  if (experiment.isDemo) return false;
  if (!hasEnded(status)) return status === "running";
  const versions = await experiments.listVersions(experiment.orgId, experiment.id);
  const lastOther = versions.find(({ config }) => !hasEnded(config.status))?.version ?? 0;
  const stop = versions.findLast(({ version }) => version > lastOther);
  return stop !== undefined && stop.updatedAt >= startOfDay(dayOf(next)) - STOPPED_GRACE_MS;
}
