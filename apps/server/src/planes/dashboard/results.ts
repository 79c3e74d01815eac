import { experiments as operations } from "@assay/contract";
import {
  dayOf,
  endOfDay,
  eventsOf,
  invalidBody,
  type Json,
  type MinuteOfExposures,
  resultsOf,
} from "@assay/domain";
import { auditEntry } from "../../audit-entry.ts";
import { loadExclusions } from "../../exclusions/load-exclusions.ts";
import { defineRoute } from "../../http/define-route.ts";
import { readDay } from "../../http/validate.ts";
import { readLive } from "../../pipeline/read-live.ts";
import { runAgain } from "../../pipeline/run-again.ts";
import { runManual } from "../../pipeline/run-manual.ts";
import { resultsAnswer } from "../../report/results-answer.ts";
import { findRun } from "./find-run.ts";
import { isListed } from "./is-listed.ts";

export const getResults = defineRoute(
  operations.getResults,
  async ({ params, query, caller }, { control }) => {
    const { id } = await control.experiments.get(caller.orgId, params.id);
    const { day: label, revision } = query;
    const run = await findRun({ orgId: caller.orgId, id }, { label, revision }, { control });
    return resultsAnswer(run, await control.results.listLabels(caller.orgId, id));
  },
);

export const listResultsSummary = defineRoute(
  operations.listResultsSummary,
  async ({ query, caller }, { control }) => {
    const experiments = await control.experiments.list(caller.orgId);
    const listed = new Set(experiments.filter(isListed(query.status)).map(({ id }) => id));
    const runs = await control.results.listLatest(caller.orgId);
    const labels = await control.results.listAllLabels(caller.orgId);
    return runs
      .filter((run) => listed.has(run.experimentId) && Object.keys(resultsOf(run).results).length > 0)
      .map((run) => resultsAnswer(run, labels.get(run.experimentId) ?? []));
  },
);

export const analyzeExperiment = defineRoute(
  operations.analyzeExperiment,
  async ({ params, caller }, deps) => {
    const experiment = await deps.control.experiments.get(caller.orgId, params.id);
    deps.rateLimits.analyses.take(caller.orgId);
    const results = await runManual(experiment, deps);
    const summary = `Ran a preliminary analysis: ${results.computedFor}.`;
    const entry = {
      action: "experiment.analyze",
      targetType: "experiment",
      targetId: experiment.id,
      summary,
    };
    await deps.control.audit.record(auditEntry(caller, entry, deps));
    const run = { body: results as unknown as Json, revision: 1, revisions: 1 };
    return resultsAnswer(run, await deps.control.results.listLabels(caller.orgId, experiment.id));
  },
);

export const runNightAgain = defineRoute(operations.runNightAgain, async ({ params, body, caller }, deps) => {
  const experiment = await deps.control.experiments.get(caller.orgId, params.id);
  const day = readDay("/day", body.day);
  if (endOfDay(day) > deps.clock.now()) {
    const detail = `is not over yet: today is ${dayOf(deps.clock.now())} in UTC. Name an earlier day, or run a preliminary analysis.`;
    throw invalidBody([{ pointer: "/day", detail }]);
  }
  deps.rateLimits.analyses.take(caller.orgId);
  const run = await runAgain(experiment, day, caller, deps);
  return resultsAnswer(run, await deps.control.results.listLabels(caller.orgId, experiment.id));
});

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
    const experiment = await control.experiments.get(caller.orgId, params.id);
    const { id } = experiment;
    const points = await events.traffic(eventsOf(experiment, await loadExclusions(experiment, { control })));
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
