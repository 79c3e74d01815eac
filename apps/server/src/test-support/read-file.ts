import type { ImportFormat } from "@assay/contract";
import { openReader } from "../import/open-reader.ts";

/** What a reader found in a file, in order. */
export interface Found {
  /** Line and value of each row. */
  readonly rows: readonly (readonly [line: number, row: unknown])[];
  readonly faults: readonly (readonly [line: number, detail: string])[];
  readonly unknownColumns: readonly string[] | null;
}

/** Reads a file whose bytes come in pieces that end at the offsets given. */
export function readFile(format: ImportFormat, file: string | Buffer, cuts: readonly number[] = []): Found {
  const rows: [number, unknown][] = [];
  const faults: [number, string][] = [];
  let unknownColumns: readonly string[] | null = null;
  const reader = openReader(format, {
    row: (json, line) => rows.push([line, JSON.parse(json)]),
    fault: (line, detail) => faults.push([line, detail]),
    unknownColumns: (names) => {
      unknownColumns = names;
    },
  });
  const bytes = Buffer.from(file as string);
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  let start = 0;
  for (const end of ends) {
    reader.push(Buffer.from(bytes.subarray(start, end)));
    start = end;
  }
  reader.end();
  return { rows, faults, unknownColumns };
}
