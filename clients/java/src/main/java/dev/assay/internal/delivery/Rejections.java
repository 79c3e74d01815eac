package dev.assay.internal.delivery;

import java.util.LinkedHashMap;
import java.util.Map;

/** Numbers of events that the service refused, by reason. */
final class Rejections {
    private static final int MAX_REASONS = 100;

    private final Map<String, Integer> counts = new LinkedHashMap<>();

    /** Adds refused events; those for reasons after the first 100 are counted together. */
    void add(String reason, int count) {
        boolean isKnown = counts.containsKey(reason) || counts.size() < MAX_REASONS;
        counts.merge(isKnown ? reason : "other reasons", count, Integer::sum);
    }

    Map<String, Integer> byReason() {
        return counts;
    }
}
