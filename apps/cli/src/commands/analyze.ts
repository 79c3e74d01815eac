import type { ResultsSchema } from "@assay/contract";
import type { Static } from "typebox";
import { serviceApi } from "../api.ts";
import { CommandError } from "../command-error.ts";
import { findExperiment } from "../find-experiment.ts";
import { readOptions } from "../options.ts";
import { printResults } from "../print-results.ts";

/** Runs and prints a preliminary analysis of one experiment; with `--day`, analyzes a past night again. */
export async function analyze(args: readonly string[]): Promise<void> {
  const { options, positionals } = readOptions(args, ["day"], [], 1);
  const [reference] = positionals;
  if (reference === undefined)
    throw new CommandError("Name the experiment: npm run assay -- analyze EXPERIMENT [--day YYYY-MM-DD]");
  const api = await serviceApi();
  const experiment = await findExperiment(api, reference);
  const path = `/v1/experiments/${experiment.id}/${options.day === undefined ? "analyze" : "runs"}`;
  const body = options.day === undefined ? undefined : options;
  printResults(await api.call<Static<typeof ResultsSchema>>("POST", path, body), experiment.unit);
}
