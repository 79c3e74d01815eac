package dev.assay.internal.config;

import dev.assay.internal.bucketing.Murmur3;
import java.util.HashMap;
import java.util.Map;

/**
 * The users whom an experiment lists for a variant. The config identifies each by 16 hex digits.
 */
final class QaUsers {
    private static final int NOBODY = -1;

    private final Murmur3 first;
    private final Murmur3 second;

    /** Indices of variants, by the 16 hex digits as a number. */
    private final Map<Long, Integer> indices;

    private QaUsers(String prefix, Map<Long, Integer> indices) {
        this.first = new Murmur3(prefix, 1);
        this.second = new Murmur3(prefix, 2);
        this.indices = indices;
    }

    /** Reads indices by digest; skips malformed entries. {@code prefix}: of the hashed texts. */
    static QaUsers parse(Object wire, String prefix) {
        Map<Long, Integer> indices = new HashMap<>();
        Fields.of(wire).forEach((digest, index) -> {
            if (!digest.matches("[0-9a-f]{16}") || !Fields.isInteger(index)) return;
            long position = ((Number) index).longValue();
            if (position == (int) position) indices.put(Long.parseUnsignedLong(digest, 16), (int) position);
        });
        return new QaUsers(prefix, indices);
    }

    /**
     * Returns the index of the user's variant, which may not exist; -1 for users who are not
     * listed.
     */
    int indexOf(String user) {
        return indices.isEmpty() ? NOBODY : indices.getOrDefault(digestOf(user), NOBODY);
    }

    private long digestOf(String user) {
        return (long) first.hash(user) << 32 | Integer.toUnsignedLong(second.hash(user));
    }
}
