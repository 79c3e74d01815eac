package dev.assay.internal.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.assay.support.RecordingLog;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.ResourceBundle;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ClientLogTest {
    private static final long MINUTE = 60_000_000_000L;

    private final RecordingLog lines = new RecordingLog();

    /** Near the end of the range: a monotonic clock may wrap. */
    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - MINUTE / 2);

    private final ClientLog log = new ClientLog(lines, now::get);

    @Test
    void saysAMessageOnce() {
        log.once(Level.ERROR, "key refused");
        log.once(Level.ERROR, "key refused");
        log.once(Level.WARNING, "other");
        assertEquals(List.of("ERROR key refused", "WARNING other"), lines.lines());
    }

    @Test
    void countsAtOnceAndThenOnceAMinute() {
        log.count("dropped");
        for (int i = 0; i < 5; i++) log.count("dropped", 2);
        log.tick();
        assertEquals(List.of("WARNING dropped: 1"), lines.lines());
        now.addAndGet(MINUTE - 1);
        log.tick();
        assertEquals(1, lines.lines().size());
        now.addAndGet(1);
        log.tick();
        assertEquals(List.of("WARNING dropped: 1", "WARNING dropped: 10"), lines.lines());
        log.count("dropped");
        assertEquals(2, lines.lines().size());
    }

    @Test
    void aMinuteOfSilenceStartsAfresh() {
        log.count("dropped");
        now.addAndGet(MINUTE);
        log.tick();
        log.count("dropped");
        assertEquals(List.of("WARNING dropped: 1", "WARNING dropped: 1"), lines.lines());
    }

    @Test
    void tellsWhenToTick() {
        assertEquals(Long.MAX_VALUE, log.nextTickNanos());
        log.count("a");
        now.addAndGet(10);
        log.count("b");
        assertEquals(MINUTE - 10, log.nextTickNanos());
        now.addAndGet(2 * MINUTE);
        assertEquals(0, log.nextTickNanos());
        log.tick();
        assertEquals(Long.MAX_VALUE, log.nextTickNanos());
    }

    @Test
    void saysWhatIsLeftWhenItIsClosed() {
        log.count("a");
        log.count("a", 3);
        log.count("b");
        log.count("none", 0);
        log.close();
        log.close();
        assertEquals(List.of("WARNING a: 1", "WARNING b: 1", "WARNING a: 3"), lines.lines());
    }

    @Test
    void boundsReasons() {
        for (int i = 0; i < 1_000; i++) log.count("reason " + i);
        log.count("x".repeat(10_000));
        log.close();
        assertEquals(52, lines.lines().size());
        assertEquals("WARNING other reasons: 950", lines.lines().get(51));
        log.count("y".repeat(10_000));
        assertTrue(lines.lines().get(52).length() < 250);
    }

    @Test
    void aBrokenLogBreaksNobody() {
        System.Logger broken = new System.Logger() {
            @Override
            public String getName() {
                return "broken";
            }

            @Override
            public boolean isLoggable(Level level) {
                throw new IllegalStateException("broken");
            }

            @Override
            public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
                throw new AssertionError("broken");
            }

            @Override
            public void log(Level level, ResourceBundle bundle, String format, Object... params) {
                throw new AssertionError("broken");
            }
        };
        ClientLog hushed = new ClientLog(broken, now::get);
        hushed.once(Level.WARNING, "a");
        hushed.count("b");
        hushed.count("b");
        hushed.close();
    }
}
