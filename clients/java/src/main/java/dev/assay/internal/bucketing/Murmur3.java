package dev.assay.internal.bucketing;

/**
 * MurmurHash3 x86 32 (Austin Appleby, public domain) of texts with a common prefix. The prefix is
 * hashed once. Hashing allocates nothing.
 */
public final class Murmur3 {
    private static final int BLOCK_BITS = 32;

    /** The hash of the whole blocks of the prefix. */
    private final int hash;

    /** The bytes of the prefix after its last whole block, the first in the lowest 8 bits. */
    private final int rest;

    private final int restBits;

    /** The length of the prefix in bytes. */
    private final int length;

    /** Hashes the UTF-8 of the prefix. The prefix must not end within a surrogate pair. */
    public Murmur3(String prefix, int seed) {
        int state = seed;
        long bytes = 0;
        int bits = 0;
        int total = 0;
        for (int i = 0; i < prefix.length(); ) {
            int point = Utf8.pointAt(prefix, i);
            i += Character.charCount(point);
            bytes |= (Utf8.bytesOf(point) & 0xFFFFFFFFL) << bits;
            bits += Utf8.lengthOf(point) * 8;
            total += Utf8.lengthOf(point);
            if (bits >= BLOCK_BITS) {
                state = mix(state, (int) bytes);
                bytes >>>= BLOCK_BITS;
                bits -= BLOCK_BITS;
            }
        }
        this.hash = state;
        this.rest = (int) bytes;
        this.restBits = bits;
        this.length = total;
    }

    /** Computes the hash of the prefix followed by the text, as a signed integer. */
    public int hash(String text) {
        int state = hash;
        long bytes = rest & 0xFFFFFFFFL;
        int units = text.length();
        int i = 0;
        // Four ASCII characters fill one block, at any offset of the prefix.
        for (; i + 4 <= units; i += 4) {
            int a = text.charAt(i);
            int b = text.charAt(i + 1);
            int c = text.charAt(i + 2);
            int d = text.charAt(i + 3);
            if ((a | b | c | d) >= 0x80) break;
            bytes |= (a | b << 8 | c << 16 | (long) d << 24) << restBits;
            state = mix(state, (int) bytes);
            bytes >>>= BLOCK_BITS;
        }
        return hashRest(text, i, state, bytes);
    }

    /** Continues from unit {@code i} by code points; the units before it took one byte each. */
    private int hashRest(String text, int from, int state, long pending) {
        int hash = state;
        long bytes = pending;
        int bits = restBits;
        int total = length + from;
        for (int i = from; i < text.length(); ) {
            int point = Utf8.pointAt(text, i);
            int width = Utf8.lengthOf(point);
            i += width == 4 ? 2 : 1;
            bytes |= (Utf8.bytesOf(point) & 0xFFFFFFFFL) << bits;
            bits += width * 8;
            total += width;
            if (bits >= BLOCK_BITS) {
                hash = mix(hash, (int) bytes);
                bytes >>>= BLOCK_BITS;
                bits -= BLOCK_BITS;
            }
        }
        // An empty rest is 0 and changes nothing.
        return finish(hash ^ scramble((int) bytes), total);
    }

    /** Computes the hash of bytes, as a signed integer. */
    public static int hash(byte[] bytes, int seed) {
        int hash = seed;
        int block = 0;
        for (int i = 0; i < bytes.length; i++) {
            block |= (bytes[i] & 0xFF) << (i % 4 * 8);
            if (i % 4 == 3) {
                hash = mix(hash, block);
                block = 0;
            }
        }
        return finish(hash ^ scramble(block), bytes.length);
    }

    private static int mix(int hash, int block) {
        return Integer.rotateLeft(hash ^ scramble(block), 13) * 5 + 0xE6546B64;
    }

    private static int scramble(int block) {
        return Integer.rotateLeft(block * 0xCC9E2D51, 15) * 0x1B873593;
    }

    private static int finish(int hash, int length) {
        int mixed = hash ^ length;
        mixed = (mixed ^ mixed >>> 16) * 0x85EBCA6B;
        mixed = (mixed ^ mixed >>> 13) * 0xC2B2AE35;
        return mixed ^ mixed >>> 16;
    }
}
