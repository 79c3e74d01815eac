package dev.assay.internal.log;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Logs a message once, or at most once a minute with a count. Never throws, even if the logger does, and
 * never calls the logger while it holds a lock.
 */
public final class ClientLog {
    private static final long LONGEST_SILENCE_NANOS = 60_000_000_000L;

    /** Some reasons come from the service, so their number is limited. */
    private static final int MAX_REASONS = 50;

    private static final int LONGEST_REASON = 200;

    /** Limited, because some messages contain names that may come from data. */
    private static final int MAX_SAID = 1_000;

    private static final class Tally {
        long count;
        final long since;

        Tally(long since) {
            this.since = since;
        }
    }

    private final System.Logger log;
    private final LongSupplier nanoTime;
    private final Set<String> said = ConcurrentHashMap.newKeySet();

    /** The reasons of the last minute, each with the count that is not logged yet. */
    private final Map<String, Tally> tallies = new HashMap<>();

    /** Makes a log that measures its minutes with a monotonic clock in nanoseconds. */
    public ClientLog(System.Logger log, LongSupplier nanoTime) {
        this.log = log;
        this.nanoTime = nanoTime;
    }

    /** Logs the message unless it was logged before. */
    public void once(System.Logger.Level level, String message) {
        if (said.size() < MAX_SAID && said.add(message)) write(level, message);
    }

    /** Adds one to a reason's count. */
    public void count(String reason) {
        count(reason, 1);
    }

    /**
     * Logs {@code reason: count} as a warning at once. Repeats within a minute are logged together at its
     * end.
     */
    public void count(String reason, long count) {
        if (count <= 0) return;
        String brief = reason.length() > LONGEST_REASON ? reason.substring(0, LONGEST_REASON) : reason;
        synchronized (tallies) {
            String key = tallies.containsKey(brief) || tallies.size() < MAX_REASONS ? brief : "other reasons";
            Tally tally = tallies.get(key);
            if (tally != null) {
                tally.count += count;
                return;
            }
            tallies.put(key, new Tally(nanoTime.getAsLong()));
            brief = key;
        }
        warn(brief, count);
    }

    /**
     * Logs the counts whose minute is over. Must be called after {@link #nextTickNanos}.
     */
    public void tick() {
        long now = nanoTime.getAsLong();
        Map<String, Long> due = new HashMap<>();
        synchronized (tallies) {
            for (Iterator<Map.Entry<String, Tally>> all = tallies.entrySet().iterator(); all.hasNext(); ) {
                Map.Entry<String, Tally> entry = all.next();
                if (now - entry.getValue().since < LONGEST_SILENCE_NANOS) continue;
                due.put(entry.getKey(), entry.getValue().count);
                all.remove();
            }
        }
        due.forEach(this::count);
    }

    /**
     * Returns the nanoseconds until {@link #tick} has something to do; Long.MAX_VALUE when nothing
     * waits.
     */
    public long nextTickNanos() {
        long now = nanoTime.getAsLong();
        long next = Long.MAX_VALUE;
        synchronized (tallies) {
            for (Tally tally : tallies.values()) {
                next = Math.min(next, Math.max(0, LONGEST_SILENCE_NANOS - (now - tally.since)));
            }
        }
        return next;
    }

    /** Logs the counts that still wait for the end of their minute. */
    public void close() {
        List<Map.Entry<String, Tally>> last;
        synchronized (tallies) {
            last = new ArrayList<>(new HashMap<>(tallies).entrySet());
            tallies.clear();
        }
        for (Map.Entry<String, Tally> entry : last) {
            if (entry.getValue().count > 0) warn(entry.getKey(), entry.getValue().count);
        }
    }

    private void warn(String reason, long count) {
        write(System.Logger.Level.WARNING, reason + ": " + count);
    }

    private void write(System.Logger.Level level, String message) {
        try {
            log.log(level, message);
        } catch (Throwable broken) {
            // A broken logger must not break the caller.
        }
    }
}
