import {
  configExclusions,
  type ExclusionMatch,
  type Experiment,
  type ExperimentExclusions,
  exclusionsInForce,
} from "@assay/domain";
import type { Deps } from "../deps.ts";

type Control = { readonly control: Pick<Deps["control"], "exclusions"> };

/** Reads what is set aside of an experiment now, including its QA users and its holds. */
export async function loadExclusions(
  experiment: Pick<Experiment, "orgId" | "id" | "config">,
  deps: Control,
): Promise<readonly ExclusionMatch[]> {
  return [...(await loadOwnExclusions(experiment, deps)), ...configExclusions(experiment.config)];
}

/** Reads what people have set aside of an experiment. */
export async function loadOwnExclusions(
  { orgId, id }: Pick<Experiment, "orgId" | "id">,
  { control }: Control,
): Promise<readonly ExclusionMatch[]> {
  return exclusionsInForce(await control.exclusions.list(orgId, id)).map(({ match }) => match);
}

/** Does the same for all of the org's experiments. Experiments with nothing set aside are absent. */
export async function loadAllExclusions(
  orgId: string,
  experiments: readonly Pick<Experiment, "id" | "config">[],
  { control }: Control,
): Promise<readonly ExperimentExclusions[]> {
  const byExperiment = await control.exclusions.listAll(orgId);
  return experiments
    .map(({ id, config }) => ({
      experimentId: id,
      matches: [
        ...exclusionsInForce(byExperiment.get(id) ?? []).map(({ match }) => match),
        ...configExclusions(config),
      ],
    }))
    .filter(({ matches }) => matches.length > 0);
}
