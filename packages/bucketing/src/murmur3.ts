import { encodeUtf8 } from "./utf8.ts";

/**
 * Computes MurmurHash3 x86 32 (Austin Appleby, public domain) of the text's UTF-8 bytes, as an unsigned 32-bit integer.
 * ASCII text, where a UTF-16 unit is a byte, is hashed in place without an allocation.
 */
export function murmur3(text: string, seed: number): number {
  const length = text.length;
  const blocksEnd = length & ~3;
  let hash = seed;
  for (let i = 0; i < blocksEnd; i += 4) {
    const a = text.charCodeAt(i);
    const b = text.charCodeAt(i + 1);
    const c = text.charCodeAt(i + 2);
    const d = text.charCodeAt(i + 3);
    if ((a | b | c | d) > 0x7f) return murmur3OfBytes(encodeUtf8(text), seed);
    hash = mixBlock(hash, a | (b << 8) | (c << 16) | (d << 24));
  }
  let tail = 0;
  for (let i = length - 1; i >= blocksEnd; i--) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f) return murmur3OfBytes(encodeUtf8(text), seed);
    tail = (tail << 8) | unit;
  }
  return finish(hash, tail, length);
}

/** Computes MurmurHash3 x86 32 of bytes, as an unsigned 32-bit integer. `seed` is taken modulo 2^32. */
export function murmur3OfBytes(bytes: ArrayLike<number>, seed: number): number {
  const length = bytes.length;
  const blocksEnd = length & ~3;
  let hash = seed;
  for (let i = 0; i < blocksEnd; i += 4) {
    const block = bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24);
    hash = mixBlock(hash, block);
  }
  let tail = 0;
  for (let i = length - 1; i >= blocksEnd; i--) tail = (tail << 8) | bytes[i]!;
  return finish(hash, tail, length);
}

function scramble(block: number): number {
  const k = Math.imul(block, 0xcc9e2d51);
  return Math.imul((k << 15) | (k >>> 17), 0x1b873593);
}

function mixBlock(hash: number, block: number): number {
  const h = hash ^ scramble(block);
  return (Math.imul((h << 13) | (h >>> 19), 5) + 0xe6546b64) | 0;
}

/** Mixes in the last 0 to 3 bytes (an empty tail, 0, changes nothing) and the length in bytes. */
function finish(hash: number, tail: number, length: number): number {
  let h = hash ^ scramble(tail) ^ length;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
