import { isUtf8 } from "node:buffer";
import { type ImportColumns, parseImportHeader, readImportRow } from "@assay/domain";
import { CsvError, parse } from "csv-parse/sync";
import { CR, type CsvRecord, findCsvRecord, findNewline, findQuoteFault } from "./csv-records.ts";
import { joinBytes, NOT_UTF8, type RowReader, type RowSink, UnreadableFile } from "./row-reader.ts";
import { writeRow } from "./write-row.ts";

const MAX_RECORDS = 1_000;
const NOTHING = Buffer.alloc(0);

/** A record with the line on which it starts. */
interface Placed extends CsvRecord {
  readonly line: number;
}

/**
 * Reads CSV (RFC 4180). It finds records by their quotes; csv-parse then parses many at a time. A record that cannot be
 * read costs only its first line: reading continues at the next line, so that a quote that is never closed does not
 * swallow valid rows.
 */
export class CsvReader implements RowReader {
  readonly #sink: RowSink;
  readonly #onUnknownColumns: (names: readonly string[]) => void;
  #bytes: Buffer = NOTHING;
  #line = 1;
  /** True inside a line that was given up: everything up to its end is skipped. */
  #isSkippingLine = false;
  #newline: number | null = null;
  #columns: ImportColumns | null = null;
  /** Small after a row that could not be read, because the records after it may start elsewhere than assumed. */
  #batchSize = 1;

  constructor(sink: RowSink, onUnknownColumns: (names: readonly string[]) => void) {
    this.#sink = sink;
    this.#onUnknownColumns = onUnknownColumns;
  }

  push(bytes: Buffer): void {
    this.#bytes = joinBytes(this.#bytes, bytes);
    this.#read(false);
  }

  end(): void {
    this.#read(true);
    if (this.#columns === null)
      throw new UnreadableFile("The file has no header: its first row must name the columns.");
  }

  #read(isEnd: boolean): void {
    this.#newline ??= findNewline(this.#bytes, isEnd);
    if (this.#newline === null) return;
    let at = 0;
    while (at < this.#bytes.length) {
      const next = this.#isSkippingLine ? this.#skipLine(at) : this.#takeBatch(at, isEnd);
      if (next === null) break;
      at = next;
    }
    this.#bytes = this.#bytes.subarray(at);
  }

  #skipLine(at: number): number {
    const end = this.#bytes.indexOf(this.#newline ?? CR, at);
    if (end < 0) return this.#bytes.length;
    this.#isSkippingLine = false;
    this.#line += 1;
    return end + 1;
  }

  /** Reads a batch of records. Returns the offset at which to continue, or null when it needs more bytes. */
  #takeBatch(at: number, isEnd: boolean): number | null {
    const records = this.#findRecords(at, isEnd);
    const last = records.at(-1);
    if (last === undefined) return null;
    const whole = records.filter(({ isBlank, fault }) => !isBlank && fault === null);
    const broken = this.#readRecords(whole) ?? (last.fault === null ? null : this.#report(last, last.fault));
    if (broken !== null) {
      this.#batchSize = 1;
      return this.#resumeAfter(broken);
    }
    this.#batchSize = Math.min(MAX_RECORDS, 2 * this.#batchSize);
    this.#line = last.line + last.lines;
    return last.end;
  }

  #findRecords(start: number, isEnd: boolean): readonly Placed[] {
    const records: Placed[] = [];
    let [at, line] = [start, this.#line];
    while (records.length < this.#batchSize && at < this.#bytes.length) {
      const found = findCsvRecord(this.#bytes, at, { newline: this.#newline ?? CR, isEnd });
      if (found === null) break;
      records.push({ ...found, line });
      if (found.fault !== null) break;
      at = found.end;
      line += found.lines;
    }
    return records;
  }

  /** Hands on the valid rows. Returns the first record after which the positions of others are in doubt; null when none. */
  #readRecords(records: readonly Placed[]): Placed | null {
    const { rows, failure } = this.#parse(records);
    const isText = isUtf8(this.#bytes.subarray(records[0]?.start, records.at(-1)?.end));
    for (const [index, cells] of rows.entries()) {
      const record = records[index] as Placed;
      if (!isText && !isUtf8(this.#bytes.subarray(record.start, record.end))) {
        this.#report(record, NOT_UTF8);
        continue;
      }
      const fault = this.#columns === null ? this.#readHeader(cells) : this.#readRow(cells, record.line);
      if (fault === null) continue;
      this.#report(record, fault);
      if (record.secondLine < record.end) return record;
    }
    const failed = failure === null ? undefined : records[rows.length];
    return failed === undefined ? null : this.#report(failed, failure ?? "");
  }

  /** Parses records up to the first broken one. Blank lines between them are not records for csv-parse either. */
  #parse(records: readonly Placed[]): {
    readonly rows: readonly string[][];
    readonly failure: string | null;
  } {
    const [first, last] = [records[0], records.at(-1)];
    if (!first || !last) return { rows: [], failure: null };
    const fault = first === last ? findQuoteFault(this.#bytes, first, this.#newline ?? CR) : null;
    if (fault !== null) return { rows: [], failure: explain(fault) };
    try {
      return { rows: parse(this.#bytes.subarray(first.start, last.end), this.#options()), failure: null };
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      const { rows } = this.#parse(records.slice(0, Number(error.records)));
      return { rows, failure: explain(error.code) };
    }
  }

  #options() {
    return {
      relax_column_count: true,
      skip_empty_lines: true,
      record_delimiter: this.#newline === CR ? ["\r"] : ["\r\n", "\n"],
    };
  }

  /** Always null: if no row can be read under the header, the import ends. */
  #readHeader(cells: readonly string[]): null {
    const columns = parseImportHeader(cells);
    if (typeof columns === "string") throw new UnreadableFile(columns);
    this.#columns = columns;
    this.#onUnknownColumns(columns.unknown);
    return null;
  }

  /** Returns why the cells make no row, or null. */
  #readRow(cells: readonly string[], line: number): string | null {
    const columns = this.#columns;
    if (columns === null) return null;
    if (cells.length !== columns.count)
      return `The row has ${cells.length} cells; the header has ${columns.count}.`;
    const row = readImportRow(cells, columns);
    if (typeof row === "string") this.#sink.fault(line, row);
    else writeRow(row, line, this.#sink);
    return null;
  }

  #report(record: Placed, fault: string): Placed {
    if (this.#columns === null) throw new UnreadableFile(`The header cannot be read. ${fault}`);
    this.#sink.fault(record.line, fault);
    return record;
  }

  /** Continues at the record's second line. If the end of the first line has not arrived yet, skips that line first. */
  #resumeAfter({ line, secondLine, end }: Placed): number {
    this.#isSkippingLine = secondLine < 0;
    this.#line = this.#isSkippingLine ? line : line + 1;
    return this.#isSkippingLine ? end : secondLine;
  }
}

function explain(code: string): string {
  return code === "INVALID_OPENING_QUOTE"
    ? "A cell contains a quote but does not begin with one: quote the whole cell and double the quotes in it."
    : "Text follows a closing quote, or a quote is not closed: double the quotes inside a quoted cell.";
}
