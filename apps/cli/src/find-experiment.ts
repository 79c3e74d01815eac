import type { ExperimentSchema } from "@assay/contract";
import type { Static } from "typebox";
import type { Api } from "./api.ts";
import { CommandError } from "./command-error.ts";

/**
 * Finds an experiment by id or name, including archived ones. An unknown one is a `CommandError` that lists the existing ones. Ids
 * take precedence, because another experiment may be named like an id.
 */
export async function findExperiment(api: Api, reference: string): Promise<Static<typeof ExperimentSchema>> {
  const experiments = await api.call<Static<typeof ExperimentSchema>[]>("GET", "/v1/experiments");
  const find = (among: readonly Static<typeof ExperimentSchema>[]) =>
    among.find(({ id }) => id === reference) ?? among.find(({ name }) => name === reference);
  const experiment = find(experiments) ?? find(await api.call("GET", "/v1/experiments?status=archived"));
  if (!experiment)
    throw new CommandError(
      `No experiment has the id or name "${reference}". Existing experiments: ${experiments.map(({ name }) => name).join(", ") || "none"}.`,
    );
  return experiment;
}
