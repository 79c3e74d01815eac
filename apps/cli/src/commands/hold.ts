import type { ExperimentSchema } from "@assay/contract";
import { MAX_HOLDS } from "@assay/domain";
import type { Static } from "typebox";
import { serviceApi } from "../api.ts";
import { CommandError } from "../command-error.ts";
import { findExperiment } from "../find-experiment.ts";
import { readOptions } from "../options.ts";

/** Gives nobody a variant of an experiment until it is resumed. */
export async function hold(args: readonly string[]): Promise<void> {
  const { options, positionals } = readOptions(args, ["reason"], [], 1);
  const { name, holds } = await change(positionals[0], "hold", { reason: options.reason ?? null });
  const open = holds.at(-1);
  console.log(`${name} is held since ${open?.from}: nobody gets a variant. ${open?.reason ?? ""}`.trimEnd());
  if (holds.length >= MAX_HOLDS)
    console.log(`This is the last of ${MAX_HOLDS} holds: it ends when you stop the experiment.`);
}

/** Gives users of a held experiment their variants again. */
export async function resume(args: readonly string[]): Promise<void> {
  const { name, status } = await change(readOptions(args, [], [], 1).positionals[0], "resume", {});
  const isRunning = status === "running";
  console.log(`${name} is not held: ${isRunning ? "users get their variants" : `its status is ${status}`}.`);
}

async function change(reference: string | undefined, verb: "hold" | "resume", body: object) {
  if (reference === undefined)
    throw new CommandError(`Name the experiment: npm run assay -- ${verb} EXPERIMENT`);
  const api = await serviceApi();
  const { id } = await findExperiment(api, reference);
  return api.call<Static<typeof ExperimentSchema>>("POST", `/v1/experiments/${id}/${verb}`, body);
}
