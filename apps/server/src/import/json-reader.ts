import { joinBytes, MAX_ROW_BYTES, type RowReader, type RowSink, UnreadableFile } from "./row-reader.ts";
import { takeRow } from "./take-row.ts";

const [LF, CR, TAB, SPACE] = [0x0a, 0x0d, 0x09, 0x20];
const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const NOTHING = Buffer.alloc(0);
/** Longer than `"events":`, the only member of the outer object that is looked for. */
const MAX_MEMBER = 32;

/** Where the reader is: before the outer value, among the members of `{"events": …}`, among the rows, or past the end. */
type Phase = "before" | "members" | "rows" | "end" | "broken";

/**
 * Reads the rows of a JSON array, or of `{"events": [...]}`. It finds the end of a row by its brackets and strings, and
 * then parses each row separately, so an invalid row does not affect others as long as its brackets match. If they do
 * not match, reading ends.
 */
export class JsonReader implements RowReader {
  readonly #sink: RowSink;
  #bytes: Buffer = NOTHING;
  #at = 0;
  #line = 1;
  #phase: Phase = "before";
  #isInString = false;
  #isEscaped = false;
  /** Open brackets within the row or member at hand. */
  #nesting = 0;
  /** Offset and line of the row at hand; -1 between rows. */
  #start = -1;
  #startLine = 0;
  #isTooLong = false;
  #isAfterComma = false;
  #isWrapped = false;
  #areRowsRead = false;
  /** What the member at hand begins with, white space left out. */
  #member = "";

  constructor(sink: RowSink) {
    this.#sink = sink;
  }

  push(bytes: Buffer): void {
    if (this.#phase === "broken") return;
    this.#bytes = joinBytes(this.#bytes, bytes);
    for (; this.#at < this.#bytes.length; this.#at++) this.#take(this.#bytes[this.#at] as number);
    if (this.#start >= 0 && this.#at - this.#start > MAX_ROW_BYTES) this.#reportLength();
    const kept = this.#start >= 0 && !this.#isTooLong ? this.#start : this.#at;
    this.#bytes = this.#bytes.subarray(kept);
    this.#at -= kept;
    if (this.#start >= 0) this.#start = 0;
  }

  end(): void {
    if (this.#phase === "before") throw notRows();
    if (this.#phase !== "end" && this.#phase !== "broken")
      this.#break("The JSON ends before it is complete.");
  }

  #take(byte: number): void {
    if (this.#isInString) {
      this.#takeInString(byte);
      return;
    }
    if (byte === LF) this.#line += 1;
    if (byte === LF || byte === SPACE || byte === CR || byte === TAB) return;
    if (this.#phase === "rows") this.#takeInRows(byte);
    else if (this.#phase === "members") this.#takeInMembers(byte);
    else if (this.#phase === "before") this.#open(byte);
    else if (this.#phase === "end") this.#break("Text follows the end of the JSON.");
  }

  #takeInString(byte: number): void {
    if (this.#phase === "members") this.#noteMember(byte);
    if (byte === LF) this.#break("A string is not closed on its line.");
    else if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isInString = false;
  }

  #open(byte: number): void {
    if (byte !== OPEN_LIST && byte !== OPEN_OBJECT) throw notRows();
    this.#isWrapped = byte === OPEN_OBJECT;
    this.#phase = this.#isWrapped ? "members" : "rows";
  }

  #takeInMembers(byte: number): void {
    if (this.#nesting > 0) this.#follow(byte);
    else if (byte === CLOSE_OBJECT) this.#closeObject();
    else if (byte === COMMA) this.#member = "";
    else if (byte === OPEN_LIST && !this.#areRowsRead && this.#member === '"events":') this.#phase = "rows";
    else {
      this.#noteMember(byte);
      this.#follow(byte);
    }
  }

  #noteMember(byte: number): void {
    if (this.#nesting === 0 && this.#member.length < MAX_MEMBER) this.#member += String.fromCharCode(byte);
  }

  #closeObject(): void {
    if (!this.#areRowsRead) throw notRows();
    this.#phase = "end";
  }

  #takeInRows(byte: number): void {
    if (this.#nesting === 0 && byte === COMMA) this.#endRow();
    else if (this.#nesting === 0 && byte === CLOSE_LIST) this.#closeList();
    else {
      if (this.#start < 0) [this.#start, this.#startLine] = [this.#at, this.#line];
      this.#follow(byte);
    }
  }

  /** Follows strings and brackets. */
  #follow(byte: number): void {
    if (byte === QUOTE) this.#isInString = true;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.#nesting += 1;
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.#nesting -= 1;
    if (this.#nesting < 0) this.#break("A bracket is closed that was not opened.");
  }

  #closeList(): void {
    if (this.#start >= 0 || this.#isAfterComma) this.#endRow();
    this.#areRowsRead = true;
    this.#phase = this.#isWrapped ? "members" : "end";
  }

  #endRow(): void {
    this.#isAfterComma = true;
    if (this.#start < 0)
      this.#sink.fault(this.#line, "A row is missing before a comma or at the end of the list.");
    else if (this.#isTooLong || this.#at - this.#start > MAX_ROW_BYTES) this.#reportLength();
    else takeRow(this.#bytes.subarray(this.#start, this.#at), this.#startLine, this.#sink);
    this.#start = -1;
    this.#isTooLong = false;
  }

  #reportLength(): void {
    if (!this.#isTooLong) this.#sink.fault(this.#startLine, "The row is longer than 1 MiB.");
    this.#isTooLong = true;
  }

  /** From here on, rows cannot be told apart: earlier rows are kept, later ones are not read. */
  #break(detail: string): void {
    if (!this.#areRowsRead && this.#phase === "members") throw notRows();
    // A row that was reported for its length is also broken further down, which is a separate fault.
    const line = this.#start >= 0 && !this.#isTooLong ? this.#startLine : this.#line;
    this.#sink.fault(line, `${detail} Rows after this line were not read.`);
    this.#phase = "broken";
    this.#isInString = false;
    this.#start = -1;
  }
}

function notRows(): UnreadableFile {
  return new UnreadableFile(
    'The JSON must be an array of events or {"events": [...]}. One object per line is application/x-ndjson.',
  );
}
