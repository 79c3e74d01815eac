import type { ExperimentReplaySchema } from "@assay/contract";
import type { Static } from "typebox";
import { serviceApi } from "../api.ts";
import { CommandError } from "../command-error.ts";
import { findExperiment } from "../find-experiment.ts";
import { readOptions } from "../options.ts";
import { printReplay } from "../print-replay.ts";

/** Replays an experiment's control arm and prints how its metrics behave when the arms do not differ. */
export async function replay(args: readonly string[]): Promise<void> {
  const [reference] = readOptions(args, [], [], 1).positionals;
  if (reference === undefined)
    throw new CommandError("Name the experiment: npm run assay -- replay EXPERIMENT");
  const api = await serviceApi();
  const { id, unit } = await findExperiment(api, reference);
  const path = `/v1/experiments/${id}/replay`;
  printReplay(await api.call<Static<typeof ExperimentReplaySchema>>("POST", path), unit);
}
