package dev.assay.internal.bucketing;

/**
 * UTF-8 without an encoder. An unpaired surrogate becomes U+FFFD (EF BF BD), as in every other
 * language's client. Allocates nothing.
 */
final class Utf8 {
    private static final int REPLACEMENT = 0xFFFD;

    private Utf8() {}

    /** Returns the code point at {@code index}, U+FFFD for an unpaired surrogate. */
    static int pointAt(String text, int index) {
        int point = text.codePointAt(index);
        return point >= 0xD800 && point <= 0xDFFF ? REPLACEMENT : point;
    }

    /** Returns how many bytes a code point takes, 1 to 4. */
    static int lengthOf(int point) {
        return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    }

    /** Returns the bytes of a code point, the first in the lowest 8 bits. */
    static int bytesOf(int point) {
        if (point < 0x80) return point;
        int last = 0x80 | point & 0x3F;
        if (point < 0x800) return 0xC0 | point >> 6 | last << 8;
        int third = 0x80 | point >> 6 & 0x3F;
        if (point < 0x10000) return 0xE0 | point >> 12 | third << 8 | last << 16;
        return 0xF0 | point >> 18 | (0x80 | point >> 12 & 0x3F) << 8 | third << 16 | last << 24;
    }
}
