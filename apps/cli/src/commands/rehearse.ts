import { readFile, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { StartupError } from "@assay/domain";
import { type Api, explainAnswer, serviceApi } from "../api.ts";
import { CommandError } from "../command-error.ts";
import { readOptions } from "../options.ts";
import { exitCodeOf, printRehearsal, toJunit, toMarkdown, type WireRehearsal } from "../print-rehearsal.ts";
import { type RehearsalFile, readRehearsalFile } from "../read-rehearsal-file.ts";

/** The exit code when the rehearsal could not run. */
const FAILED = 4;
const POLL_MS = 2_000;

/** Runs the rehearsal that a file describes, prints the result, and exits with its code. */
export async function rehearse(args: readonly string[]): Promise<void> {
  try {
    process.exitCode = await rehearseFile(args);
  } catch (error) {
    // Exit code 1 means that a treatment is worse.
    throw error instanceof CommandError || error instanceof StartupError
      ? new CommandError(error.message, FAILED)
      : error;
  }
}

async function rehearseFile(args: readonly string[]): Promise<number> {
  const { positionals, options } = readOptions(args, ["junit", "markdown", "data"], [], 1);
  const [path] = positionals;
  if (path === undefined) throw new CommandError("Name the file: npm run assay -- rehearse rehearsal.yaml");
  const file = await readRehearsalFile(path);
  const run = (api: Api) => runRehearsal(api, file, POLL_MS);
  const rehearsal = await (options.data === undefined
    ? run(await serviceApi())
    : (await import("../embedded-service.ts")).onEmbeddedService(options.data, run));
  printRehearsal(rehearsal);
  if (options.junit !== undefined) await write(options.junit, toJunit(rehearsal));
  if (options.markdown !== undefined) await write(options.markdown, toMarkdown(rehearsal));
  return exitCodeOf(rehearsal);
}

/** Starts a rehearsal, shows its progress, and waits until it ends. Throws a `CommandError` when it pauses. */
export async function runRehearsal(api: Api, file: RehearsalFile, pollMs: number): Promise<WireRehearsal> {
  for (const price of file.prices) await api.call("PUT", "/v1/prices", { effective_from: today(), ...price });
  const uploaded = file.dataset === null ? {} : { dataset_id: await upload(api, file.dataset) };
  const { id } = await api.call<WireRehearsal>("POST", "/v1/rehearsals", { ...file.body, ...uploaded });
  console.log(`Rehearsal ${id}`);
  let shown = "";
  for (;;) {
    const rehearsal = await api.call<WireRehearsal>("GET", `/v1/rehearsals/${id}`);
    const line = progressOf(rehearsal);
    if (line !== shown) console.log(line);
    shown = line;
    if (rehearsal.state === "done" || rehearsal.state === "stopped") return rehearsal;
    if (rehearsal.state === "paused")
      throw new CommandError(
        `The rehearsal ${id} is paused. ${rehearsal.fault ?? "A member paused it."} Resume or stop it with POST /v1/rehearsals/${id}/resume or /stop.`,
      );
    await sleep(pollMs);
  }
}

const today = (): string => new Date().toISOString().slice(0, 10);

function progressOf({ progress, inputs, spent_usd: spent, fault }: WireRehearsal): string {
  const waits = fault === null ? "" : ` It waits: ${fault}`;
  return `${progress.finished_inputs} of ${inputs} inputs, $${spent.toFixed(2)} spent.${waits}`;
}

/** Uploads a file of inputs and returns the dataset's id. */
async function upload(api: Api, { path, name }: NonNullable<RehearsalFile["dataset"]>): Promise<string> {
  const body = await readFile(path).catch((error: Error) => {
    throw new CommandError(`Cannot read ${path}: ${error.message}.`);
  });
  const { status, text } = await api.send(`/v1/datasets/upload?name=${encodeURIComponent(name)}`, body);
  if (status !== 201 && status !== 200) throw new CommandError(explainAnswer(status, text));
  return (JSON.parse(text) as { readonly id: string }).id;
}

async function write(path: string, text: string): Promise<void> {
  await writeFile(path, text).catch((error: Error) => {
    throw new CommandError(`Cannot write ${path}: ${error.message}.`);
  });
}
