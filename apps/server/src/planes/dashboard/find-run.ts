import { DomainError, type Experiment, type RunChoice, type StoredRun } from "@assay/domain";
import type { Deps } from "../../deps.ts";

/** Finds the chosen run of an experiment. Throws `run-not-found`, or `results-not-ready` when the experiment has none at all. */
export async function findRun(
  { orgId, id }: Pick<Experiment, "orgId" | "id">,
  { label, revision }: RunChoice,
  { control }: Pick<Deps, "control">,
): Promise<StoredRun> {
  const run = await control.results.find(orgId, id, { label, revision });
  if (run !== null) return run;
  if ((await control.results.find(orgId, id)) !== null) {
    const [asked, list] = (await control.results.find(orgId, id, { label }))
      ? [`revision ${revision} of this run`, "revisions"]
      : [`run "${label}"`, "available_days"];
    throw new DomainError("run-not-found", `There is no ${asked}; ${list} lists those that are stored.`);
  }
  throw new DomainError(
    "results-not-ready",
    "Results appear after the nightly run once every arm has about 200 evaluated events; a manual analysis can be run at any time.",
  );
}
