import type { ImportResult } from "@assay/contract";
import { parseSettings, serviceUrl } from "@assay/server/settings";
import type { Static } from "typebox";
import { explainAnswer, serviceApi } from "../api.ts";
import { CommandError } from "../command-error.ts";
import { showProgress } from "../import-progress.ts";
import { findImportSource } from "../import-source.ts";
import { readOptions } from "../options.ts";
import { uploadFile } from "../upload-file.ts";

const MAX_PRINTED = 20;

/** Imports a file of events into the running service. The process exits with 1 when a row was not accepted. */
export async function importFile(args: readonly string[]): Promise<void> {
  const { options, flags, positionals } = readOptions(args, ["format"], ["dry-run"], 1);
  const [path] = positionals;
  if (path === undefined) throw new CommandError("Name one file: npm run assay -- import FILE");
  const source = await findImportSource(path, options.format);
  const address = `${serviceUrl(parseSettings(process.env))}/v1/events/import`;
  const url = flags["dry-run"] ? `${address}?dry_run=true` : address;
  const key = await findSecretKey();
  const progress = showProgress(source);
  const { status, body } = await uploadFile(source, {
    url,
    credential: { "x-api-key": key },
    afterInterruption: "Events accepted so far stay; sending the file again is safe.",
    onSent: progress.add,
  }).finally(progress.end);
  if (status !== 200) throw new CommandError(explainAnswer(status, body));
  const result = JSON.parse(body) as Static<typeof ImportResult>;
  printImport(path, result);
  if (result.error_count > 0) process.exitCode = 1;
}

/** Finds a secret key: `ASSAY_API_KEY`, or a key of the local owner's org. Throws a `CommandError` that says how to create one. */
async function findSecretKey(): Promise<string> {
  const given = process.env.ASSAY_API_KEY ?? "";
  if (given.startsWith("svc_sk_")) return given;
  const api = await serviceApi();
  const keys = await api.call<{ scope: string; revealable: boolean }[]>("GET", "/v1/keys");
  if (!keys.some(({ scope, revealable }) => scope === "secret" && revealable))
    throw new CommandError(
      'An import needs a secret key and the org has none that can be revealed: create one in the dashboard or with POST /v1/keys {"scope": "secret"}, or set ASSAY_API_KEY.',
    );
  return (await api.call<{ key: string }>("GET", "/v1/keys/secret/reveal")).key;
}

/** Prints the outcome of an import: the counts, the ignored columns, and the first errors. */
function printImport(path: string, result: Static<typeof ImportResult>): void {
  const {
    rows,
    events,
    error_count: errorCount,
    errors,
    dry_run: isDryRun,
    unknown_columns: unknown,
  } = result;
  const accepted = isDryRun ? "would be accepted" : "accepted";
  console.log(
    `${path}: ${rows.toLocaleString("en-US")} rows, ${events.toLocaleString("en-US")} ${accepted}, ${errorCount.toLocaleString("en-US")} errors.`,
  );
  if (unknown) console.log(`Ignored columns (not fields of an event): ${unknown.join(", ")}.`);
  for (const { line, event_id: id, detail } of errors.slice(0, MAX_PRINTED))
    console.log(`line ${line}: ${id === undefined ? "" : `${id}: `}${detail}`);
  if (errorCount > MAX_PRINTED)
    console.log(`… and ${(errorCount - MAX_PRINTED).toLocaleString("en-US")} more.`);
}
