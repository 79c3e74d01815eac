import type { ExperimentSchema, ResultsSchema } from "@assay/contract";
import type { Static } from "typebox";
import { serviceApi } from "../api.ts";
import { CommandError } from "../command-error.ts";
import { printResults } from "../print-results.ts";

/** Runs a preliminary analysis of one experiment and prints it. */
export async function analyze(args: readonly string[]): Promise<void> {
  const [reference] = args;
  if (reference === undefined)
    throw new CommandError("Name the experiment: npm run assay -- analyze EXPERIMENT");
  const api = await serviceApi();
  const experiments = await api.call<Static<typeof ExperimentSchema>[]>("GET", "/v1/experiments");
  const experiment = experiments.find(({ id, name }) => id === reference || name === reference);
  if (!experiment)
    throw new CommandError(
      `No experiment has the id or name "${reference}". Existing experiments: ${experiments.map(({ name }) => name).join(", ") || "none"}.`,
    );
  printResults(
    await api.call<Static<typeof ResultsSchema>>("POST", `/v1/experiments/${experiment.id}/analyze`),
  );
}
