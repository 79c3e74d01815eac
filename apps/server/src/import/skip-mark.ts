import { joinBytes, type RowReader } from "./row-reader.ts";

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Passes the bytes on to a reader, without the UTF-8 byte order mark that some programs write at the start of a file. */
export class SkipMark implements RowReader {
  readonly #reader: RowReader;
  /** The first bytes, until there are enough to decide. Null from then on. */
  #head: Buffer | null = Buffer.alloc(0);

  constructor(reader: RowReader) {
    this.#reader = reader;
  }

  push(bytes: Buffer): void {
    if (this.#head === null) {
      this.#reader.push(bytes);
      return;
    }
    this.#head = joinBytes(this.#head, bytes);
    if (this.#head.length >= BYTE_ORDER_MARK.length) this.#passHead();
  }

  end(): void {
    this.#passHead();
    this.#reader.end();
  }

  #passHead(): void {
    const head = this.#head;
    if (head === null) return;
    this.#head = null;
    const isMarked = head.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
    this.#reader.push(isMarked ? head.subarray(BYTE_ORDER_MARK.length) : head);
  }
}
