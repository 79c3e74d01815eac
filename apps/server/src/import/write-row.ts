import { MAX_ROW_BYTES, type RowSink } from "./row-reader.ts";

/** JSON escapes some characters with several, so a row that fits as sent may become twice as long. */
const MAX_JSON_LENGTH = 2 * MAX_ROW_BYTES;

/** Hands a row on as JSON, or reports that it cannot be written. */
export function writeRow(row: object, line: number, sink: RowSink): void {
  const json = JSON.stringify(row);
  if (json.length > MAX_JSON_LENGTH) sink.fault(line, "The row is longer than 2 MiB as JSON.");
  else sink.row(json, line);
}
