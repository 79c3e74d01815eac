import type { ImportResult } from "@assay/contract";
import { parseSettings, serviceUrl } from "@assay/server";
import type { Static } from "typebox";
import { explainAnswer } from "../api.ts";
import { CommandError } from "../command-error.ts";
import { showProgress } from "../import-progress.ts";
import { findImportSource } from "../import-source.ts";
import { readOptions } from "../options.ts";
import { printImport } from "../print-import.ts";
import { findSecretKey } from "../secret-key.ts";
import { uploadFile } from "../upload-file.ts";

/** Imports a file of events into the running service. The process ends with 1 when a row was not accepted. */
export async function importFile(args: readonly string[]): Promise<void> {
  const { options, flags, positionals } = readOptions(args, ["format"], ["dry-run"]);
  const [path, ...others] = positionals;
  if (path === undefined || others.length > 0)
    throw new CommandError("Name one file: npm run assay -- import FILE");
  const source = await findImportSource(path, options.format);
  const address = `${serviceUrl(parseSettings(process.env))}/v1/events/import`;
  const url = flags["dry-run"] ? `${address}?dry_run=true` : address;
  const key = await findSecretKey();
  const progress = showProgress(source);
  const { status, body } = await uploadFile(source, { url, key, onSent: progress.add }).finally(progress.end);
  if (status !== 200) throw new CommandError(explainAnswer(status, body));
  const result = JSON.parse(body) as Static<typeof ImportResult>;
  printImport(path, result);
  if (result.error_count > 0) process.exitCode = 1;
}
