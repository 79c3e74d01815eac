/** Appends values to a growing buffer. */
export class ByteWriter {
  #bytes = Buffer.allocUnsafe(64 * 1024);
  #at = 0;

  byte(byte: number): void {
    this.#reserve(1);
    this.#bytes[this.#at++] = byte;
  }

  uint64(value: bigint): void {
    this.#reserve(8);
    this.#at = this.#bytes.writeBigUInt64LE(value, this.#at);
  }

  float64(value: number): void {
    this.#reserve(8);
    this.#at = this.#bytes.writeDoubleLE(value, this.#at);
  }

  /** Appends a whole number from 0 on with 7 bits per byte, lowest first; the highest bit means that more follow. */
  count(count: number): void {
    let rest = count;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.byte(128 + (rest % 128));
    this.byte(rest);
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
  }
}

/** Reads what a `ByteWriter` appended, in the same order. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    return this.#bytes[this.#at++]!;
  }

  uint64(): bigint {
    this.#at += 8;
    return this.#bytes.readBigUInt64LE(this.#at - 8);
  }

  float64(): number {
    this.#at += 8;
    return this.#bytes.readDoubleLE(this.#at - 8);
  }

  count(): number {
    let total = 0;
    for (let factor = 1; ; factor *= 128) {
      const next = this.byte();
      total += (next & 127) * factor;
      if (next < 128) return total;
    }
  }

  string(): string {
    const length = this.count();
    this.#at += length;
    return this.#bytes.toString("utf8", this.#at - length, this.#at);
  }
}
