import { completeRun, experiments as operations, type StoredResults } from "@assay/contract";
import { DomainError, type MinuteOfExposures, resultsOf } from "@assay/domain";
import { auditEntry } from "../../audit-entry.ts";
import { defineRoute } from "../../http/define-route.ts";
import { readLive } from "../../pipeline/read-live.ts";
import { runManual } from "../../pipeline/run-manual.ts";

export const getResults = defineRoute(
  operations.getResults,
  async ({ params, query, caller }, { control }) => {
    const { id } = await control.experiments.get(caller.orgId, params.id);
    const run = await control.results.find(caller.orgId, id, query.day);
    if (run !== null)
      return resultsAnswer(resultsOf(run), await control.results.listLabels(caller.orgId, id));
    if (query.day !== undefined && (await control.results.find(caller.orgId, id)) !== null) {
      throw new DomainError(
        "run-not-found",
        `No run is stored under "${query.day}"; available_days lists those that are.`,
      );
    }
    throw new DomainError(
      "results-not-ready",
      "Results appear after the nightly run once every arm has about 200 evaluated events; a manual analysis can be run at any time.",
    );
  },
);

export const listResultsSummary = defineRoute(
  operations.listResultsSummary,
  async ({ caller }, { control }) => {
    const runs = await control.results.listLatest(caller.orgId);
    const labels = await control.results.listAllLabels(caller.orgId);
    return runs.map((run) => resultsAnswer(resultsOf(run), labels.get(run.experimentId) ?? []));
  },
);

export const analyzeExperiment = defineRoute(
  operations.analyzeExperiment,
  async ({ params, caller }, deps) => {
    const experiment = await deps.control.experiments.get(caller.orgId, params.id);
    const results = await runManual(experiment, deps);
    const summary = `Ran a preliminary analysis: ${results.computedFor}.`;
    const entry = {
      action: "experiment.analyze",
      targetType: "experiment",
      targetId: experiment.id,
      summary,
    };
    await deps.control.audit.record(auditEntry(caller, entry, deps));
    return resultsAnswer(results, await deps.control.results.listLabels(caller.orgId, experiment.id));
  },
);

export const getLive = defineRoute(operations.getLive, async ({ params, caller }, deps) => {
  const experiment = await deps.control.experiments.get(caller.orgId, params.id);
  const live = await readLive(experiment, deps);
  return {
    ...live,
    experimentId: experiment.id,
    exposuresByMinute: byMinute(live.exposuresByMinute),
    note: "Live counts. Uncorrected. Not for decisions.",
  };
});

function byMinute(points: readonly MinuteOfExposures[]) {
  return [...Map.groupBy(points, ({ at }) => at)].map(([minute, variants]) => ({
    minute,
    exposures: Object.fromEntries(variants.map(({ variant, exposures }) => [variant, exposures])),
  }));
}

export const getTraffic = defineRoute(
  operations.getTraffic,
  async ({ params, caller }, { control, events }) => {
    const { id } = await control.experiments.get(caller.orgId, params.id);
    const points = await events.traffic(caller.orgId, id);
    const days = Map.groupBy(points, ({ day }) => day);
    return {
      experimentId: id,
      days: [...days].map(([day, variants]) => ({
        day,
        exposures: Object.fromEntries(variants.map(({ variant, exposures }) => [variant, exposures])),
        users: Object.fromEntries(variants.map(({ variant, users }) => [variant, users])),
      })),
    };
  },
);

const resultsAnswer = (run: StoredResults, availableDays: readonly string[]) => ({
  ...completeRun(run),
  availableDays,
});
