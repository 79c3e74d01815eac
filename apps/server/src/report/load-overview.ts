import { overviewAnswer } from "@assay/contract";
import {
  type Experiment,
  experimentsOfUnits,
  resultsOf,
  type StoredRun,
  type SummarizedRun,
  summarizeRun,
} from "@assay/domain";
import type { Deps } from "../deps.ts";
import { loadExclusions } from "../exclusions/load-exclusions.ts";

/** Loads where an experiment stands. */
export async function loadOverview(
  experiment: Experiment,
  { control, events, clock }: Pick<Deps, "control" | "events" | "clock">,
) {
  const { id, orgId } = experiment;
  const matches = await loadExclusions(experiment, { control });
  const [counts, formerNames, creators, lastRun, [lastNight]] = await Promise.all([
    events.countExposures({
      ...{ orgId, experimentId: id, exclusions: [{ experimentId: id, matches }] },
      ofUnits: experimentsOfUnits([experiment]),
    }),
    control.experiments.listFormerNames(orgId, id),
    control.experiments.listCreators(orgId, id),
    control.results.find(orgId, id),
    control.pipelineRuns.list(orgId, id, 1),
  ]);
  const parts = {
    formerNames: formerNames.get(id) ?? [],
    createdBy: creators.get(id) ?? null,
    counts,
    lastRun: lastRun && summarized(lastRun),
    lastNight: lastNight ?? null,
  };
  return overviewAnswer(experiment, parts, clock.now());
}

const summarized = ({ body, revisions: _, ...run }: StoredRun): SummarizedRun => ({
  ...run,
  summary: summarizeRun(resultsOf({ body })),
});
