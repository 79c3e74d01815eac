import type { ExperimentSchema } from "@assay/contract";
import type { Static } from "typebox";
import type { Api } from "./api.ts";
import { CommandError } from "./command-error.ts";

/** Finds an experiment by id or name; an unknown one is a `CommandError` that lists those that exist. */
export async function findExperiment(api: Api, reference: string): Promise<Static<typeof ExperimentSchema>> {
  const experiments = await api.call<Static<typeof ExperimentSchema>[]>("GET", "/v1/experiments");
  const experiment = experiments.find(({ id, name }) => id === reference || name === reference);
  if (!experiment)
    throw new CommandError(
      `No experiment has the id or name "${reference}". Existing experiments: ${experiments.map(({ name }) => name).join(", ") || "none"}.`,
    );
  return experiment;
}
