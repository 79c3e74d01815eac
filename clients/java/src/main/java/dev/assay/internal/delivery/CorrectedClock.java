package dev.assay.internal.delivery;

import dev.assay.internal.log.ClientLog;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;

/** A clock corrected by the Date header of the service's answers. Thread-safe. */
public final class CorrectedClock extends Clock {
    /** A smaller offset is not corrected. */
    private static final long TOLERANCE_MS = 60_000;

    private final Clock clock;
    private final ClientLog log;
    private volatile long offsetMs;
    private boolean hasWarned;

    /**
     * Creates a clock without an offset.
     *
     * @param clock the clock to correct
     * @param log receives a message about a correction
     */
    public CorrectedClock(Clock clock, ClientLog log) {
        this.clock = clock;
        this.log = log;
    }

    /** Learns from the service's own answer. A clock given by the caller is never corrected. */
    static void learn(Clock clock, Answer answer) {
        if (clock instanceof CorrectedClock) ((CorrectedClock) clock).learn(answer);
    }

    private synchronized void learn(Answer answer) {
        offsetMs = offsetAfter(offsetMs, answer.sentAtMs(), answer.answeredAtMs(), answer.date());
        if (offsetMs == 0 || hasWarned) return;
        hasWarned = true;
        String direction = offsetMs > 0 ? " s behind" : " s ahead";
        log.once(
                Level.WARNING,
                "the clock is " + Math.abs(offsetMs) / 1_000 + direction + ": event times are corrected");
    }

    /**
     * Returns the offset after an answer, to be added to the clock.
     *
     * @param knownMs the offset before
     * @param sentAtMs when the request was sent, by the clock
     * @param answeredAtMs when the answer was read, by the clock
     * @param date its Date header; null for none
     */
    static long offsetAfter(long knownMs, long sentAtMs, long answeredAtMs, String date) {
        Instant service = RetryAfter.parseDate(date == null ? "" : date.trim());
        // If the clock was set back during the request, the times mean nothing.
        if (service == null || answeredAtMs < sentAtMs) return knownMs;
        long offset = Math.floorDiv(2 * service.toEpochMilli() - sentAtMs - answeredAtMs, 2L);
        return Math.abs(offset) > TOLERANCE_MS ? offset : 0;
    }

    @Override
    public long millis() {
        return clock.millis() + offsetMs;
    }

    @Override
    public Instant instant() {
        return Instant.ofEpochMilli(millis());
    }

    @Override
    public ZoneId getZone() {
        return clock.getZone();
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return new CorrectedClock(clock.withZone(zone), log);
    }
}
