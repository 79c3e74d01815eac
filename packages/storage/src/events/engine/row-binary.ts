/**
 * A growing list of numbers; the first `length` are in use. It is reused, which avoids an allocation per
 * user.
 */
export interface NumberList {
  numbers: Float64Array;
  length: number;
}

/** Creates an empty list. */
export function numberList(): NumberList {
  return { numbers: new Float64Array(32), length: 0 };
}

/** Appends a number. */
export function push(list: NumberList, value: number): void {
  if (list.length === list.numbers.length) {
    const grown = new Float64Array(2 * list.length);
    grown.set(list.numbers);
    list.numbers = grown;
  }
  list.numbers[list.length++] = value;
}

/** Reads the values of rows in ClickHouse's RowBinary format, in the order of the columns. */
export class RowBinaryReader {
  readonly #bytes: Buffer;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#view = viewOf(bytes);
  }

  /** Whether all rows are read. */
  isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** Number of bytes read. */
  get position(): number {
    return this.#at;
  }

  uint8(): number {
    return this.#bytes[this.#at++]!;
  }

  uint64(): bigint {
    this.#at += 8;
    return this.#view.getBigUint64(this.#at - 8, true);
  }

  float64(): number {
    this.#at += 8;
    return this.#view.getFloat64(this.#at - 8, true);
  }

  string(): string {
    const length = this.count();
    if (length === 0) return "";
    this.#at += length;
    return this.#bytes.toString("utf8", this.#at - length, this.#at);
  }

  /** Reads a String of any bytes, without a copy. */
  buffer(): Buffer {
    return this.bytes(this.count());
  }

  /** Reads `length` bytes, without a copy. */
  bytes(length: number): Buffer {
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  /** Reads an Array(Float64) into a list; replaces its content. */
  float64s(into: NumberList): void {
    const length = this.count();
    if (length > into.numbers.length) into.numbers = new Float64Array(2 * length);
    into.length = length;
    const bytes = new Uint8Array(into.numbers.buffer, 0, 8 * length);
    bytes.set(this.#bytes.subarray(this.#at, this.#at + 8 * length));
    this.#at += 8 * length;
  }

  /** Reads a whole number, such as a length: 7 bits per byte, lowest first; the highest bit means that more follow. */
  count(): number {
    let count = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.uint8();
      count += (byte & 127) * factor;
      if (byte < 128) return count;
    }
  }

  /** Reads a whole number that the writer's `difference` appended. */
  difference(): number {
    const value = this.count();
    return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
  }
}

/** Appends values to a growing buffer, as `RowBinaryReader` reads them. */
export class RowBinaryWriter {
  #bytes = Buffer.allocUnsafe(64 * 1024);
  #view = viewOf(this.#bytes);
  #at = 0;

  uint8(byte: number): void {
    this.#reserve(1);
    this.#bytes[this.#at++] = byte;
  }

  uint64(value: bigint): void {
    this.#reserve(8);
    this.#view.setBigUint64(this.#at, value, true);
    this.#at += 8;
  }

  float64(value: number): void {
    this.#reserve(8);
    this.#view.setFloat64(this.#at, value, true);
    this.#at += 8;
  }

  /** Appends a whole number, 0 or more, with 7 bits per byte, lowest first; the highest bit means that more follow. */
  count(count: number): void {
    let rest = count;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.uint8(128 + (rest % 128));
    this.uint8(rest);
  }

  /** Appends a whole number of either sign: small ones take few bytes. */
  difference(value: number): void {
    this.count(value < 0 ? -2 * value - 1 : 2 * value);
  }

  string(text: string): void {
    const length = Buffer.byteLength(text);
    this.count(length);
    this.#reserve(length);
    this.#at += this.#bytes.write(text, this.#at);
  }

  /** Returns what was appended. */
  finish(): Buffer {
    return this.#bytes.subarray(0, this.#at);
  }

  #reserve(length: number): void {
    if (this.#at + length <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(2 * (this.#bytes.length + length));
    this.#bytes.copy(grown, 0, 0, this.#at);
    this.#bytes = grown;
    this.#view = viewOf(grown);
  }
}

/** A DataView reads and writes numbers several times faster than a Buffer's own methods. */
function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}
