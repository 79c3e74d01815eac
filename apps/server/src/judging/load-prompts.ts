import type { Experiment, ExperimentStore } from "@assay/domain";

/** Loads the prompts of all variants in every version of the experiment: a call may be from before a change. */
export async function loadPrompts(
  { orgId, id }: Pick<Experiment, "orgId" | "id">,
  { experiments }: { readonly experiments: Pick<ExperimentStore, "listVersions"> },
): Promise<readonly string[]> {
  const versions = await experiments.listVersions(orgId, id);
  const prompts = versions.flatMap(({ config }) => config.variants.map(({ prompt }) => prompt));
  return [...new Set(prompts)].filter((prompt) => prompt !== null);
}
