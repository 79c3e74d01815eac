import { encodeUtf8 } from "./utf8.ts";

const LAST_ASCII = 0x7f;
const LAST_BYTE = 0xff;

/**
 * Computes MurmurHash3 x86 32 (Austin Appleby, public domain) of the text's UTF-8 bytes, as an unsigned 32-bit integer.
 * ASCII text, where a UTF-16 unit is a byte, is hashed in place without an allocation.
 */
export function murmur3(text: string, seed: number): number {
  const hash = hashUnits(text, seed, LAST_ASCII);
  return hash < 0 ? hashUnits(encodeUtf8(text), seed, LAST_BYTE) : hash;
}

/**
 * Computes MurmurHash3 x86 32 of bytes, each a character from U+0000 to U+00FF, as an unsigned 32-bit integer. `seed` is
 * taken modulo 2^32.
 */
export function murmur3OfBytes(bytes: string, seed: number): number {
  return hashUnits(bytes, seed, LAST_BYTE);
}

/** Hashes the units of `text` as bytes; -1 when one of them is over `largest`. */
function hashUnits(text: string, seed: number, largest: number): number {
  const length = text.length;
  const blocksEnd = length & ~3;
  let hash = seed;
  let seen = 0;
  for (let i = 0; i < blocksEnd; i += 4) {
    const a = text.charCodeAt(i);
    const b = text.charCodeAt(i + 1);
    const c = text.charCodeAt(i + 2);
    const d = text.charCodeAt(i + 3);
    seen |= a | b | c | d;
    hash ^= scramble(a | (b << 8) | (c << 16) | (d << 24));
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
  }
  // The last 0 to 3 bytes: an empty tail, 0, changes nothing.
  let tail = 0;
  for (let i = length - 1; i >= blocksEnd; i--) {
    const unit = text.charCodeAt(i);
    seen |= unit;
    tail = (tail << 8) | unit;
  }
  hash ^= scramble(tail) ^ length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return seen > largest ? -1 : (hash ^ (hash >>> 16)) >>> 0;
}

function scramble(block: number): number {
  const k = Math.imul(block, 0xcc9e2d51);
  return Math.imul((k << 15) | (k >>> 17), 0x1b873593);
}
