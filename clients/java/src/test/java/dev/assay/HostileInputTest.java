package dev.assay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.assay.support.Clients;
import dev.assay.support.RecordingLog;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.AbstractMap;
import java.util.ConcurrentModificationException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ResourceBundle;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** No argument of a caller causes an exception. */
class HostileInputTest {
    private static final String CONFIG =
            ("{'config_version':1,'experiments':[{'id':'i','name':'greeting','status':'running',"
                            + "'salt':'s','bucket_count':1,'buckets':[[1,0]],'variants':[{'key':'short'}]}]}")
                    .replace('\'', '"');

    private final RecordingLog log = new RecordingLog();

    private AssayClientBuilder loaded() {
        return Clients.offline(log).bootstrap(CONFIG);
    }

    private static final class Throwing extends AbstractMap<String, Object> {
        private final Supplier<? extends Throwable> thrown;

        Throwing(Supplier<? extends Throwable> thrown) {
            this.thrown = thrown;
        }

        @Override
        public Set<Map.Entry<String, Object>> entrySet() {
            throw HostileInputTest.<RuntimeException>sneaky(thrown.get());
        }
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> E sneaky(Throwable thrown) throws E {
        throw (E) thrown;
    }

    private static Map<String, Map<String, ?>> payloads() {
        Map<String, Object> circle = new HashMap<>();
        circle.put("self", circle);
        Map<String, Map<String, ?>> all = new LinkedHashMap<>();
        all.put("null", null);
        all.put("one that throws", new Throwing(IllegalStateException::new));
        all.put("one that throws a checked exception", new Throwing(IOException::new));
        all.put("one that changes", new Throwing(ConcurrentModificationException::new));
        all.put("one that overflows the stack", new Throwing(StackOverflowError::new));
        all.put("a nested one that throws", Map.of("metadata", new Throwing(AssertionError::new)));
        all.put("a circle", circle);
        all.put("an object", Map.of("metadata", new Object()));
        all.put("NaN", Map.of("value", Double.NaN));
        all.put("a local time", Map.of("timestamp", LocalDateTime.now()));
        all.put("an event id that is a number", Map.of("event_id", 7));
        all.put("a megabyte", Map.of("prompt", "x".repeat(1 << 20)));
        return all;
    }

    @TestFactory
    Stream<DynamicTest> payloadsAreWarningsNotExceptions() {
        return payloads().entrySet().stream()
                .map(entry -> DynamicTest.dynamicTest(entry.getKey(), () -> {
                    RecordingLog own = new RecordingLog();
                    AssayClient client = Clients.offline(own).bootstrap(CONFIG).build();
                    client.track("business_event", entry.getValue());
                    List<String> lines = own.lines();
                    client.close(Duration.ZERO);
                    // Also, no server serves the config.
                    lines = lines.stream()
                            .filter(line -> !line.contains("config not" + " loaded"))
                            .collect(Collectors.toList());
                    assertEquals(1, lines.size(), "" + lines);
                    assertTrue(lines.get(0).matches("WARNING event dropped, [^{}]*:" + " 1"), "" + lines);
                }));
    }

    @Test
    void nullsEverywhere() throws Exception {
        AssayClient client = loaded().build();
        assertNull(client.assign(null, null));
        assertNull(client.assign("greeting", null));
        assertNull(client.assign(null, "u"));
        assertEquals(new PromptChoice(null, null, true), client.getPrompt(null, null, null));
        assertEquals(Map.of(), client.getVariables(null, null, null));
        assertEquals(Map.of(), client.getVariables("greeting", "u", null));
        client.track(null, null);
        assertFalse(client.awaitReady(null) && client.assign("greeting", "u") == null);
        assertEquals("x", client.interceptModelCall(null, null, () -> "x"));
        assertNull(client.interceptModelCall("greeting", "u", () -> null, null));
        assertNull(client.interceptModelCallAsync("greeting", "u", () -> null));
        client.flush(null);
        client.flush(Duration.ofSeconds(-5));
        client.close(null);
    }

    @Test
    void defaultsThatThrowAreNone() {
        AssayClient client = loaded().build();
        assertEquals(Map.of(), client.getVariables("greeting", "u", new Throwing(IllegalStateException::new)));
        client.close(Duration.ZERO);
        assertTrue(log.lines().contains("WARNING defaults could not be read: 1"), log.lines()::toString);
    }

    @Test
    void whatACallThrowsIsThrownAsItIs() {
        AssayClient client = loaded().build();
        IOException own = new IOException("own");
        assertSame(
                own,
                assertThrows(
                        IOException.class,
                        () -> client.interceptModelCall("greeting", "u", () -> {
                            throw own;
                        })));
        client.close(Duration.ZERO);
    }

    @Test
    void anExtractorThatThrowsDoesNot() throws Exception {
        AssayClient client = loaded().build();
        UsageExtractor<Object> broken = result -> {
            throw new IOException("extractor");
        };
        Object result = new Object();
        assertSame(result, client.interceptModelCall("greeting", "u", () -> result, broken));
        CompletableFuture<Object> stage = CompletableFuture.completedFuture(result);
        assertSame(stage, client.interceptModelCallAsync("greeting", "u", () -> stage, broken));
        client.close(Duration.ZERO);
    }

    @Test
    void aClockOrIdsThatThrowCostTheEventNotTheAssignment() {
        Clock broken = new Clock() {
            @Override
            public ZoneId getZone() {
                throw new IllegalStateException("clock");
            }

            @Override
            public Clock withZone(ZoneId zone) {
                throw new IllegalStateException("clock");
            }

            @Override
            public Instant instant() {
                throw new IllegalStateException("clock");
            }
        };
        Supplier<String> noIds = () -> {
            throw new AssertionError("ids");
        };
        for (AssayClientBuilder builder :
                List.of(loaded().clock(broken), loaded().eventIds(noIds), loaded().eventIds(() -> null))) {
            AssayClient client = builder.build();
            assertEquals("short", client.assign("greeting", "u"));
            client.track("exposure", Map.of());
            client.close(Duration.ZERO);
        }
        assertFalse(log.lines().isEmpty());
    }

    @Test
    void anExposureThatCouldNotBeRecordedIsTriedAgain() {
        AtomicBoolean isBroken = new AtomicBoolean(true);
        AssayClient client = loaded().eventIds(() -> {
                    if (isBroken.get()) throw new IllegalStateException("ids");
                    return "id";
                })
                .build();
        client.assign("greeting", "u");
        isBroken.set(false);
        client.assign("greeting", "u");
        assertFalse(client.flush(Duration.ofMillis(1)), "there is an event to send, and nobody to send it to");
        client.close(Duration.ZERO);
    }

    @Test
    void aLoggerThatThrows() {
        System.Logger broken = new System.Logger() {
            @Override
            public String getName() {
                throw new IllegalStateException("log");
            }

            @Override
            public boolean isLoggable(Level level) {
                throw new IllegalStateException("log");
            }

            @Override
            public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
                throw new IllegalStateException("log");
            }

            @Override
            public void log(Level level, ResourceBundle bundle, String format, Object... params) {
                throw new IllegalStateException("log");
            }
        };
        AssayClient client = Clients.offline(broken).bootstrap("{").build();
        assertNull(client.assign("greeting", "u"));
        client.track("click", Map.of());
        client.close(Duration.ZERO);
        client.track("click", Map.of());
    }

    @Test
    void anInterruptedThreadWaitsForNothingAndStaysInterrupted() {
        AssayClient client = loaded().build();
        client.track("exposure", Map.of());
        Thread.currentThread().interrupt();
        assertFalse(client.flush());
        assertTrue(Thread.interrupted());
        assertNotNull(client.assign("greeting", "u"));
        client.close(Duration.ZERO);
    }
}
