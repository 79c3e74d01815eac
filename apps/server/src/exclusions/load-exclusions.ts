import { type ExclusionMatch, type ExperimentExclusions, exclusionsInForce } from "@assay/domain";
import type { Deps } from "../deps.ts";

type Control = { readonly control: Pick<Deps["control"], "exclusions"> };

/** Reads what is set aside of an experiment now. */
export async function loadExclusions(
  { orgId, id }: { readonly orgId: string; readonly id: string },
  { control }: Control,
): Promise<readonly ExclusionMatch[]> {
  return exclusionsInForce(await control.exclusions.list(orgId, id)).map(({ match }) => match);
}

/** Reads what is set aside of each of the org's experiments now; those without exclusions are absent. */
export async function loadAllExclusions(
  orgId: string,
  { control }: Control,
): Promise<readonly ExperimentExclusions[]> {
  const byExperiment = await control.exclusions.listAll(orgId);
  return [...byExperiment]
    .map(([experimentId, entries]) => ({
      experimentId,
      matches: exclusionsInForce(entries).map(({ match }) => match),
    }))
    .filter(({ matches }) => matches.length > 0);
}
