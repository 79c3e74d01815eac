package dev.assay.internal.event;

import java.util.UUID;

/** Makes UUIDs of version 7 (RFC 9562): they sort by time. */
public final class UuidV7 {
    private static final long LAST_INSTANT = (1L << 48) - 1;

    private UuidV7() {}

    /**
     * Makes one for an instant in epoch milliseconds; an instant outside its 48 bits is clamped.
     */
    public static String of(long epochMs) {
        long instant = Math.min(LAST_INSTANT, Math.max(0, epochMs));
        // A random UUID has the same variant and the same 62 random bits at the end.
        UUID random = UUID.randomUUID();
        long high = instant << 16 | 0x7000 | random.getMostSignificantBits() & 0x0FFF;
        return new UUID(high, random.getLeastSignificantBits()).toString();
    }
}
