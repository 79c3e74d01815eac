import type { DatasetList, DatasetSchema } from "@assay/contract";
import type { Static } from "typebox";
import { explainAnswer, serviceApi } from "../api.ts";
import { CommandError } from "../command-error.ts";
import { findExperiment } from "../find-experiment.ts";
import { showProgress } from "../import-progress.ts";
import { sourceOf } from "../import-source.ts";
import { readOptions } from "../options.ts";
import { printTable } from "../print-table.ts";
import { uploadFile } from "../upload-file.ts";

type WireDataset = Static<typeof DatasetSchema>;

/** Lists datasets, creates one from a file, or draws one from an experiment's calls. */
export async function datasets(args: readonly string[]): Promise<void> {
  const [verb, ...rest] = args;
  const run = verb === undefined ? undefined : VERBS[verb];
  if (run === undefined)
    throw new CommandError("Say what to do: npm run assay -- datasets list, upload FILE or draw EXPERIMENT");
  await run(rest);
}

const VERBS: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = { list, upload, draw };

async function list(args: readonly string[]): Promise<void> {
  readOptions(args, []);
  const api = await serviceApi();
  const all: WireDataset[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page: Static<typeof DatasetList> = await api.call("GET", `/v1/datasets?limit=200${query}`);
    all.push(...page.items);
    cursor = page.next_cursor;
  }
  if (all.length === 0) console.log("There are no datasets yet.");
  else printTable([["name", "version", "inputs", "from", "made at", "expires at"], ...all.map(lineOf)]);
}

function lineOf({ name, version, items, source, created_at: at, expires_at: expiresAt }: WireDataset) {
  const from = source.kind === "upload" ? source.format : "calls";
  return [name, String(version), items.toLocaleString("en-US"), from, at, expiresAt ?? ""];
}

async function upload(args: readonly string[]): Promise<void> {
  const { options, positionals } = readOptions(args, ["name", "format"], [], 1);
  const [path] = positionals;
  if (path === undefined || options.name === undefined)
    throw new CommandError(
      "Name one file and the dataset: npm run assay -- datasets upload FILE --name NAME",
    );
  const advice = "Remove fields that Assay does not read, or upload two datasets.";
  const source = await sourceOf(path, "application/octet-stream", { mib: 64, advice });
  const api = await serviceApi();
  const query = new URLSearchParams({
    name: options.name,
    ...(options.format && { format: options.format }),
  });
  const progress = showProgress(source);
  const { status, body } = await uploadFile(source, {
    url: `${api.baseUrl}/v1/datasets/upload?${query}`,
    credential: api.credential,
    afterInterruption:
      "Nothing was stored unless the service had received the whole file: check with datasets list.",
    onSent: progress.add,
  }).finally(progress.end);
  if (status !== 201 && status !== 200) throw new CommandError(explainAnswer(status, body));
  if (status === 200) console.log("Nothing was stored: the newest version of this name has the same inputs.");
  print(JSON.parse(body) as WireDataset);
}

async function draw(args: readonly string[]): Promise<void> {
  const { options, positionals } = readOptions(args, ["name", "from", "until", "items"], [], 1);
  const { name, from, until, items } = options;
  const [reference] = positionals;
  if (reference === undefined || name === undefined || from === undefined || until === undefined || !items)
    throw new CommandError(
      "Name the experiment, the dataset, the window and the number of inputs: npm run assay -- datasets draw EXPERIMENT --name NAME --from 2026-11-20 --until 2026-11-27 --items 500",
    );
  const api = await serviceApi();
  const { id } = await findExperiment(api, reference);
  const window = { from: toInstant("from", from), until: toInstant("until", until), items: Number(items) };
  const body = { name, from_experiment: { experiment_id: id, ...window } };
  print(await api.call<WireDataset>("POST", "/v1/datasets", body));
}

/** A date without a time means its first instant in UTC. */
function toInstant(option: string, text: string): string {
  const at = Date.parse(text);
  if (Number.isNaN(at))
    throw new CommandError(`--${option} must be a date or an instant such as 2026-11-20T00:00:00Z.`);
  return new Date(at).toISOString();
}

function print({ name, version, items, source, masked, expires_at: expiresAt }: WireDataset): void {
  console.log(`${name}, version ${version}: ${items.toLocaleString("en-US")} inputs.`);
  if (source.kind === "calls")
    console.log(
      `Drawn from ${source.calls.toLocaleString("en-US")} calls; ${source.left_out} of the drawn calls had no usable input.`,
    );
  const rules = Object.entries(masked).map(([rule, found]) => `${rule} ${found}`);
  if (rules.length > 0) console.log(`Masked: ${rules.join(", ")}.`);
  if (expiresAt !== null) console.log(`It expires at ${expiresAt}.`);
}
