import { isUtf8 } from "node:buffer";
import {
  type DocumentFormat,
  elementLines,
  type FileRow,
  guessFormat,
  isDocumentFormat,
  type JsonLimits,
  listIn,
  MAX_DATASET_ITEMS,
  measureJson,
  readUploadRows,
  UPLOAD_FORMATS,
  type UploadedItems,
  type UploadFormat,
} from "@assay/domain";
import { CsvError, parse as parseCsv } from "csv-parse/sync";
import { LineCounter, parseDocument } from "yaml";
import { NdjsonReader } from "../import/ndjson-reader.ts";
import { MAX_ROW_BYTES, UnreadableFile } from "../import/row-reader.ts";

/** Limits on a document that is parsed at once. Real logs within 64 MiB stay below them. */
const DOCUMENT_LIMITS: JsonLimits = { depth: 100, containers: 1_000_000, values: 4_000_000 };
/** Parsing YAML takes a hundred times the memory of the file. */
const MAX_YAML_BYTES = 4 * 1024 ** 2;
const MAX_YAML_ALIASES = 100;
const PIECE_BYTES = 256 * 1024;

export interface ReadFile extends Pick<UploadedItems, "items"> {
  readonly format: UploadFormat;
  /** Sentences that name the line. If there are any, the whole file is refused. */
  readonly faults: readonly string[];
}

/** Reads the inputs of a file. Throws `UnreadableFile` if it cannot be read as a whole. */
export function readUploadFile(bytes: Buffer, named: UploadFormat | null): ReadFile {
  if (!isUtf8(bytes)) throw new UnreadableFile(NOT_TEXT);
  const text = new TextDecoder().decode(bytes);
  const isJson = /^\s*[[{]/.test(text.slice(0, 1_000));
  if (isJson) rejectDeep(bytes);
  const format = named ?? guessFormat(text);
  if (format === null)
    throw new UnreadableFile(
      `The format cannot be recognized: set format to one of ${UPLOAD_FORMATS.join(", ")}.`,
    );
  if (!isDocumentFormat(format)) return readLines(format, bytes);
  return isJson ? readJson(format, text) : readYaml(format, text);
}

const NOT_TEXT =
  "The file is not UTF-8 text: save it as UTF-8. If it is an Inspect log, convert it to JSON with `inspect log dump` first.";

function rejectDeep(bytes: Buffer): void {
  const { excess } = measureJson(bytes, DOCUMENT_LIMITS);
  if (excess !== null) throw new UnreadableFile(`The file ${excess}`);
}

function readLines(format: UploadFormat, bytes: Buffer): ReadFile {
  const lines: number[] = [];
  const rows = format === "csv" ? csvRows(bytes, lines) : jsonRows(bytes, lines);
  return withLines(format, readUploadRows(format, rows), (row) => lines[row]);
}

/** Says of each wrong row on which line it is. */
function withLines(
  format: UploadFormat,
  { items, faults }: UploadedItems,
  lineOf: (row: number) => number | undefined,
): ReadFile {
  return { format, items, faults: faults.map(({ row, detail }) => `Line ${lineOf(row)}: ${detail}`) };
}

/** Yields the rows as they are read, and adds the line of each to `lines`. */
function* jsonRows(bytes: Buffer, lines: number[]): Generator<FileRow> {
  let found: FileRow[] = [];
  const add = (row: FileRow, line: number) => {
    found.push(row);
    lines.push(line);
  };
  const reader = new NdjsonReader({
    row: (json, line) => add({ value: JSON.parse(json) }, line),
    fault: (line, fault) => add({ fault }, line),
  });
  const isMarked = bytes.subarray(0, 3).equals(BYTE_ORDER_MARK);
  for (let at = isMarked ? 3 : 0; at < bytes.length; at += PIECE_BYTES) {
    reader.push(bytes.subarray(at, at + PIECE_BYTES));
    yield* found;
    found = [];
  }
  reader.end();
  yield* found;
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

interface CsvRow {
  /** The line on which it ends. */
  readonly info: { readonly lines: number };
  readonly record: Readonly<Record<string, string>>;
}

function* csvRows(bytes: Buffer, lines: number[]): Generator<FileRow> {
  for (const { info, record } of parseRecords(bytes)) {
    const breaks =
      Object.values(record)
        .join("")
        .match(/\r\n|\n|\r/g)?.length ?? 0;
    lines.push(info.lines - breaks);
    yield { value: record };
  }
}

function parseRecords(bytes: Buffer): readonly CsvRow[] {
  try {
    return parseCsv(bytes, {
      bom: true,
      columns: checkedHeader,
      info: true,
      max_record_size: MAX_ROW_BYTES,
      skip_empty_lines: true,
      to: MAX_DATASET_ITEMS + 1,
    }) as unknown as readonly CsvRow[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new UnreadableFile(
      `Line ${error.lines}: ${error.message.replace(/ (?:on|at) line \d+.*$/s, "")}. Quote cells with commas, quotes or line breaks, and double the quotes in them.`,
    );
  }
}

function checkedHeader(header: readonly string[]): string[] {
  const names = header.map((name) => name.trim());
  if (!names.includes("input"))
    throw new UnreadableFile("The first row must name the columns, one of them `input`.");
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new UnreadableFile(`The column ${JSON.stringify(twice)} is named twice.`);
  return names;
}

function readJson(format: DocumentFormat, text: string): ReadFile {
  const document = parseJson(text);
  const list = listIn(format, document);
  if (typeof list === "string") throw new UnreadableFile(list);
  const read = readUploadRows(format, rowsOf(list.rows));
  const lines = elementLines(text, list.member, new Set(read.faults.map(({ row }) => row)));
  return withLines(format, read, (row) => lines.get(row));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UnreadableFile(`The file is not JSON: ${(error as Error).message}`);
  }
}

function readYaml(format: DocumentFormat, text: string): ReadFile {
  if (format !== "promptfoo") throw new UnreadableFile("The file is not JSON.");
  if (text.length > MAX_YAML_BYTES)
    throw new UnreadableFile("A YAML file has at most 4 MiB: write the tests as JSON.");
  const counter = new LineCounter();
  const document = parseYaml(text, counter);
  const list = listIn(format, document.value);
  if (typeof list === "string") throw new UnreadableFile(list);
  const lineOf = (row: number) => counter.linePos(document.offsetOf(list.member, row)).line;
  return withLines(format, readUploadRows(format, rowsOf(list.rows)), lineOf);
}

function parseYaml(text: string, lineCounter: LineCounter) {
  const document = toValue(() => parseDocument(text, { lineCounter, merge: true, prettyErrors: false }));
  const [error] = document.errors;
  if (error)
    throw new UnreadableFile(
      `Line ${lineCounter.linePos(error.pos[0]).line}: This is not YAML: ${error.message}`,
    );
  return {
    value: toValue(() => document.toJS({ maxAliasCount: MAX_YAML_ALIASES })),
    offsetOf(member: string | null, row: number): number {
      const node = document.getIn(member === null ? [row] : [member, row], true) as
        | { readonly range?: readonly number[] }
        | undefined;
      return node?.range?.[0] ?? 0;
    },
  };
}

/** The parser recurses: too deep nesting ends it with a full stack, and too many expanded aliases with an error of its own. */
function toValue<T>(convert: () => T): T {
  try {
    return convert();
  } catch (error) {
    const isDeep = error instanceof RangeError;
    throw new UnreadableFile(
      isDeep
        ? "The file nests too deeply."
        : `The file's aliases cannot be followed: ${(error as Error).message}.`,
    );
  }
}

function* rowsOf(values: readonly unknown[]): Generator<FileRow> {
  for (const value of values) yield { value };
}
