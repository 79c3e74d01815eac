import type { ImportResult } from "@assay/contract";
import type { Static } from "typebox";

const MAX_PRINTED = 20;

/** Prints what became of a file's rows: the counts, the columns that were passed over, and the first errors. */
export function printImport(path: string, result: Static<typeof ImportResult>): void {
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
  if (unknown) console.log(`Columns passed over, for they are no field of an event: ${unknown.join(", ")}.`);
  for (const { line, event_id: id, detail } of errors.slice(0, MAX_PRINTED))
    console.log(`line ${line}: ${id === undefined ? "" : `${id}: `}${detail}`);
  if (errorCount > MAX_PRINTED)
    console.log(`… and ${(errorCount - MAX_PRINTED).toLocaleString("en-US")} more.`);
}
