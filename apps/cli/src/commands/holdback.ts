import type { ExperimentSchema, HoldbackView } from "@assay/contract";
import type { Static } from "typebox";
import { serviceApi } from "../api.ts";
import { CommandError } from "../command-error.ts";
import { findExperiment } from "../find-experiment.ts";
import { readOptions } from "../options.ts";
import { printHoldback } from "../print-holdback.ts";

/** Prints whether the lift of a shipped variant lasts. With `--end`, the users who kept control get the variant too. */
export async function holdback(args: readonly string[]): Promise<void> {
  const { flags, positionals } = readOptions(args, [], ["end"], 1);
  const [reference] = positionals;
  if (reference === undefined)
    throw new CommandError("Name the experiment: npm run assay -- holdback EXPERIMENT");
  const api = await serviceApi();
  const { id, name, unit, metrics, holdback: current } = await findExperiment(api, reference);
  if (!current)
    throw new CommandError(`${name} has no holdback: a holdback can only begin when the experiment ships.`);
  if (flags.end) {
    const path = `/v1/experiments/${id}/holdback/end`;
    const ended = await api.call<Static<typeof ExperimentSchema>>("POST", path);
    console.log(`Everybody gets ${ended.shipped_variant ?? "control behavior"} of ${name}.`);
    return;
  }
  const path = `/v1/experiments/${id}/holdback`;
  const view = await api.call<Static<typeof HoldbackView>>("GET", path);
  printHoldback(view, { unit: unit ?? "user", metrics, lasts: current.to === null });
}
