/**
 * Bits per id. The engine needs 8 ms of CPU for a look-up and 0.25 ms for each random id in it, so of 5,000 new ids hardly any may pass
 * as stored. With 12 bits, look-ups took four times as long.
 */
const BITS_PER_ID = 20;
/** An id sets one of 64 bits in each row of a block. */
const ROWS_PER_BLOCK = 8;
const WORDS_PER_ROW = 2;
const BITS_PER_WORD = 32;
const WORDS_PER_BLOCK = ROWS_PER_BLOCK * WORDS_PER_ROW;
const BYTES_PER_BLOCK = (WORDS_PER_BLOCK * BITS_PER_WORD) / 8;
/** The multipliers of Parquet's filters. */
const SALTS = Int32Array.of(
  ...[0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d],
  ...[0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31],
);

/** The hash of an id. */
export interface IdHash {
  /** 32 bits that choose the block. */
  readonly block: number;
  /** 32 bits that choose the bits in it. */
  readonly bits: number;
}

/**
 * A split block Bloom filter, as in Parquet but with rows of 64 bits, in a typed array outside V8's heap. `mayHold` is true for every
 * added id. For other ids, it is true for 0.03% when the filter is full, and for fewer before that.
 */
export class BloomFilter {
  /** The number of ids for which it has room. */
  readonly capacity: number;
  readonly #blocks: number;
  readonly #words: Int32Array;
  #ids = 0;

  /** Reserves room for this many ids. */
  constructor(capacity: number) {
    this.capacity = capacity;
    this.#blocks = bytesFor(capacity) / BYTES_PER_BLOCK;
    this.#words = new Int32Array(this.#blocks * WORDS_PER_BLOCK);
  }

  get isFull(): boolean {
    return this.#ids >= this.capacity;
  }

  get bytes(): number {
    return this.#words.byteLength;
  }

  add({ block, bits }: IdHash): void {
    const start = this.#startOf(block);
    for (let row = 0; row < ROWS_PER_BLOCK; row++) {
      const bit = bitInRow(bits, row);
      this.#words[start + wordOf(row, bit)]! |= 1 << bit;
    }
    this.#ids += 1;
  }

  mayHold({ block, bits }: IdHash): boolean {
    const start = this.#startOf(block);
    for (let row = 0; row < ROWS_PER_BLOCK; row++) {
      const bit = bitInRow(bits, row);
      if ((this.#words[start + wordOf(row, bit)]! & (1 << bit)) === 0) return false;
    }
    return true;
  }

  #startOf(block: number): number {
    return Math.floor(((block >>> 0) / 2 ** 32) * this.#blocks) * WORDS_PER_BLOCK;
  }
}

/** Returns the number of ids that fit in this much memory. */
export function capacityIn(bytes: number): number {
  return Math.floor((bytes * 8) / BITS_PER_ID);
}

/** Returns the memory that a filter for this many ids takes. */
export function bytesFor(capacity: number): number {
  return Math.max(1, Math.ceil((capacity * BITS_PER_ID) / 8 / BYTES_PER_BLOCK)) * BYTES_PER_BLOCK;
}

/** Returns a number from 0 to 63: the highest bits of a product depend on all bits of its factors. */
function bitInRow(bits: number, row: number): number {
  return Math.imul(bits, SALTS[row]!) >>> 26;
}

/** A shift by `bit` looks at its last five binary digits only; the first one chooses the word. */
function wordOf(row: number, bit: number): number {
  return row * WORDS_PER_ROW + (bit >>> 5);
}

/** Hashes the 16 bytes of an id. Senders choose ids, so even similar ones must differ in all bits. */
export function hashOfId(bytes: Buffer, offset = 0): IdHash {
  return { block: murmur(bytes, offset, 0), bits: murmur(bytes, offset, 1) };
}

/** MurmurHash3 (x86, 32 bits) of 16 bytes, with a sign: V8 allocates no memory for such a number. */
function murmur(bytes: Buffer, offset: number, seed: number): number {
  let hash = seed;
  for (let at = offset; at < offset + 16; at += 4) {
    const word = Math.imul(bytes.readInt32LE(at), 0xcc9e2d51);
    hash ^= Math.imul((word << 15) | (word >>> 17), 0x1b873593);
    hash = Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64;
  }
  hash ^= 16;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
