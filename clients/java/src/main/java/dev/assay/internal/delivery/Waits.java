package dev.assay.internal.delivery;

import java.time.Duration;

/** Durations as numbers. A duration that is too long is cut; a missing or negative one is 0. */
final class Waits {
    /** 31 years. */
    private static final Duration LONGEST = Duration.ofSeconds(1_000_000_000);

    private Waits() {}

    static long nanosOf(Duration duration) {
        return bounded(duration).toNanos();
    }

    static long millisOf(Duration duration) {
        return bounded(duration).toMillis();
    }

    private static Duration bounded(Duration duration) {
        if (duration == null || duration.isNegative()) return Duration.ZERO;
        return duration.compareTo(LONGEST) > 0 ? LONGEST : duration;
    }
}
