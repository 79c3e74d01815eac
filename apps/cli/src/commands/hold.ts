import type { ExperimentSchema } from "@assay/contract";
import { MAX_HOLDS } from "@assay/domain";
import type { Static } from "typebox";
import { serviceApi } from "../api.ts";
import { CommandError } from "../command-error.ts";
import { findExperiment } from "../find-experiment.ts";
import { readOptions } from "../options.ts";

type Changed = Pick<Static<typeof ExperimentSchema>, "name" | "holds" | "status">;

/** Holds an experiment: nobody gets a variant until it is resumed. */
export async function hold(args: readonly string[]): Promise<void> {
  const { options, positionals } = readOptions(args, ["reason"], [], 1);
  const held = await change(positionals[0], "hold", { reason: options.reason ?? null });
  for (const line of holdLines(held, options.reason)) console.log(line);
}

/** Reports when and why an experiment was held. `sent` is the reason that this command sent. */
export function holdLines({ name, holds }: Changed, sent: string | undefined): readonly string[] {
  const open = holds.at(-1);
  const isOther = sent !== undefined && sent.trim() !== (open?.reason ?? "").trim();
  return [
    `${name} has been held since ${open?.from}: nobody gets a variant. ${open?.reason ?? ""}`.trimEnd(),
    ...(isOther ? ["It was held already, so the reason that you gave is not stored."] : []),
    ...(holds.length >= MAX_HOLDS
      ? [`This is the last of ${MAX_HOLDS} holds: it ends when you stop the experiment.`]
      : []),
  ];
}

/** Gives users of a held experiment their variants again. */
export async function resume(args: readonly string[]): Promise<void> {
  console.log(resumeLine(await change(readOptions(args, [], [], 1).positionals[0], "resume", {})));
}

/** Reports what users get from an experiment that is no longer held. */
export function resumeLine({ name, status }: Changed): string {
  return `${name} is not held: ${status === "running" ? "users get their variants" : `its status is ${status}`}.`;
}

async function change(reference: string | undefined, verb: "hold" | "resume", body: object) {
  if (reference === undefined)
    throw new CommandError(`Name the experiment: npm run assay -- ${verb} EXPERIMENT`);
  const api = await serviceApi();
  const { id } = await findExperiment(api, reference);
  return api.call<Static<typeof ExperimentSchema>>("POST", `/v1/experiments/${id}/${verb}`, body);
}
