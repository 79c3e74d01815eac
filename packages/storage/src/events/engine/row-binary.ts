/**
 * A list of numbers of which the first `length` are in use. It grows and is reused, to avoid an allocation per
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
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
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

  uint16(): number {
    this.#at += 2;
    return this.#bytes.readUInt16LE(this.#at - 2);
  }

  uint64(): bigint {
    this.#at += 8;
    return this.#bytes.readBigUInt64LE(this.#at - 8);
  }

  float64(): number {
    this.#at += 8;
    return this.#bytes.readDoubleLE(this.#at - 8);
  }

  string(): string {
    const length = this.#length();
    if (length === 0) return "";
    this.#at += length;
    return this.#bytes.toString("utf8", this.#at - length, this.#at);
  }

  /** Reads an Array(UInt8), without a copy. */
  uint8s(): Uint8Array {
    const length = this.#length();
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  /** Reads an Array(Float64) into a list; replaces its content. */
  float64s(into: NumberList): void {
    const length = this.#length();
    if (length > into.numbers.length) into.numbers = new Float64Array(2 * length);
    into.length = length;
    const bytes = new Uint8Array(into.numbers.buffer, 0, 8 * length);
    bytes.set(this.#bytes.subarray(this.#at, this.#at + 8 * length));
    this.#at += 8 * length;
  }

  /** A length has 7 bits per byte, lowest first; the highest bit means that more follow. */
  #length(): number {
    let length = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.uint8();
      length += (byte & 127) * factor;
      if (byte < 128) return length;
    }
  }
}
