import type { ImportFormat } from "@assay/contract";
import { CsvReader } from "./csv-reader.ts";
import { JsonReader } from "./json-reader.ts";
import { NdjsonReader } from "./ndjson-reader.ts";
import type { RowReader, RowSink } from "./row-reader.ts";
import { SkipMark } from "./skip-mark.ts";

interface Finds extends RowSink {
  /** Called once, when the header is read. */
  unknownColumns(names: readonly string[]): void;
}

/** Makes the reader of a format. It throws `UnreadableFile` if the file as a whole cannot be read. */
export function openReader(format: ImportFormat, finds: Finds): RowReader {
  return new SkipMark(readerOf(format, finds));
}

function readerOf(format: ImportFormat, finds: Finds): RowReader {
  switch (format) {
    case "csv":
      return new CsvReader(finds, (names) => finds.unknownColumns(names));
    case "json":
      return new JsonReader(finds);
    case "ndjson":
      return new NdjsonReader(finds);
  }
}
