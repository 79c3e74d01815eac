import { joinBytes, MAX_ROW_BYTES, type RowReader, type RowSink } from "./row-reader.ts";
import { takeRow } from "./take-row.ts";

const LF = 0x0a;
const NOTHING = Buffer.alloc(0);

/** Reads one JSON value per line; blank lines are no rows. */
export class NdjsonReader implements RowReader {
  readonly #sink: RowSink;
  #bytes: Buffer = NOTHING;
  #line = 1;
  /** True inside a line that is too long: it was reported, and everything up to its end is skipped. */
  #isSkippingLine = false;

  constructor(sink: RowSink) {
    this.#sink = sink;
  }

  push(bytes: Buffer): void {
    this.#bytes = joinBytes(this.#bytes, bytes);
    this.#readLines();
  }

  end(): void {
    if (this.#bytes.length > 0) this.#takeLine(0, this.#bytes.length);
  }

  #readLines(): void {
    let at = 0;
    for (let end = this.#bytes.indexOf(LF, at); end >= 0; end = this.#bytes.indexOf(LF, at)) {
      this.#takeLine(at, end);
      this.#line += 1;
      at = end + 1;
    }
    this.#bytes = this.#bytes.subarray(at);
    if (this.#bytes.length > MAX_ROW_BYTES) this.#giveUpLine();
  }

  #takeLine(start: number, end: number): void {
    if (this.#isSkippingLine) this.#isSkippingLine = false;
    else if (end - start > MAX_ROW_BYTES) this.#reportLength();
    else takeRow(this.#bytes.subarray(start, end), this.#line, this.#sink);
  }

  /** Reports a line that is too long, and keeps none of it. */
  #giveUpLine(): void {
    if (!this.#isSkippingLine) this.#reportLength();
    this.#isSkippingLine = true;
    this.#bytes = NOTHING;
  }

  #reportLength(): void {
    this.#sink.fault(this.#line, "The row is longer than 1 MiB.");
  }
}
