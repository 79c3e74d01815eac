package dev.assay.internal.delivery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.assay.internal.Settings;
import dev.assay.internal.config.ConfigSnapshot;
import dev.assay.internal.config.Overrides;
import dev.assay.internal.event.KeptEvent;
import dev.assay.internal.log.ClientLog;
import dev.assay.support.RecordingLog;
import dev.assay.support.ScenarioServer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The background work on real threads and in real time. */
@Timeout(60)
class BackgroundTest {
    private static final Object CONFIG =
            Map.of("status", 200, "body", Map.of("config_version", 1, "experiments", List.of()));
    private static final Object ACK =
            Map.of("status", 202, "body", Map.of("accepted", 1, "config_version", 1, "rejected", List.of()));
    private static final Duration LONG = Duration.ofSeconds(30);

    @TempDir
    Path folder;

    private final RecordingLog lines = new RecordingLog();
    private final List<Background> opened = new ArrayList<>();
    private String apiKey = "svc_pk_1";
    private String baseUrl;
    private Path store;
    private Duration pollInterval = Duration.ofMinutes(1);
    private boolean longPoll;
    private Runnable onLoad = () -> {};

    @BeforeEach
    void answer() throws Exception {
        baseUrl = ScenarioServer.get().url();
        script(ACK);
    }

    @AfterEach
    void close() {
        opened.forEach(background -> background.close(Duration.ZERO));
    }

    private static void script(Object reply) throws Exception {
        ScenarioServer.get().install(Map.of("/v1/config", List.of(CONFIG), "/v1/events", List.of(reply)));
    }

    private Background open() {
        ClientLog log = new ClientLog(lines, System::nanoTime);
        Duration flushInterval = Duration.ofSeconds(5);
        Settings settings = new Settings(
                apiKey,
                baseUrl,
                List.of(),
                true,
                flushInterval,
                pollInterval,
                longPoll,
                null,
                store,
                false,
                new Overrides(Map.of()),
                false,
                null,
                null,
                log,
                Clock.systemUTC(),
                () -> "id");
        Background background = new Background(settings, onLoad);
        opened.add(background);
        return background;
    }

    private static KeptEvent event(int n) {
        String row = "{\"event_id\":\"e" + n + "\",\"timestamp\":\"2026-07-06T12:00:00.000Z\"}";
        return new KeptEvent("e" + n, System.currentTimeMillis(), row.getBytes(StandardCharsets.UTF_8));
    }

    private static long posts() throws Exception {
        return ScenarioServer.get().requests().stream()
                .filter(request -> "POST".equals(request.get("method")))
                .count();
    }

    @Test
    void loadsTheConfigAndDeliversAFullBatchUnasked() throws Exception {
        Background background = open();
        assertTrue(background.waitFor(LONG, () -> background.snapshot() == null ? null : true));
        for (int i = 0; i < 100; i++) assertTrue(background.add(event(i)));
        while (posts() == 0) Thread.sleep(5);
        assertTrue(background.close(LONG));
        assertEquals(1, posts());
        assertEquals(List.of(), lines.lines());
    }

    @Test
    void addingNeverWaitsWhileTheServiceHangs() throws Exception {
        script("hang");
        Background background = open();
        long slowest = 0;
        for (int i = 0; i < 10_000; i++) {
            KeptEvent event = event(i);
            long begin = System.nanoTime();
            background.add(event);
            slowest = Math.max(slowest, System.nanoTime() - begin);
        }
        assertTrue(slowest < 1e9, "slowest: " + slowest);
        assertFalse(background.flush(Duration.ofMillis(50)));
    }

    @Test
    void deliversWhileTheApplicationBlocksTheCommonPool() throws Exception {
        CountDownLatch latch = new CountDownLatch(1);
        for (int i = 0; i < 2 * Runtime.getRuntime().availableProcessors(); i++) {
            CompletableFuture.runAsync(() -> awaitRelease(latch));
        }
        Background background = open();
        background.add(event(0));
        long begin = System.nanoTime();
        boolean isDelivered = background.flush(LONG);
        latch.countDown();
        assertTrue(isDelivered);
        assertTrue(System.nanoTime() - begin < 5e9, "before any time limit");
    }

    private static void awaitRelease(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static Object configWithEtag(int version) {
        return Map.of(
                "status", 200,
                "headers", Map.of("etag", "\"" + version + "\""),
                "body", Map.of("config_version", version, "experiments", List.of()));
    }

    private static long waits() throws Exception {
        return ScenarioServer.get().requests().stream()
                .filter(request -> "/v1/config?wait=30".equals(request.get("path")))
                .count();
    }

    @Test
    void closingDoesNotWaitForAChangeOfTheConfig() throws Exception {
        longPoll = true;
        List<Object> answers = List.of(configWithEtag(2), "hang");
        ScenarioServer.get().install(Map.of("/v1/config", List.of(configWithEtag(1)), "/v1/config?wait=30", answers));
        Background background = open();
        assertTrue(background.waitFor(LONG, () -> {
            ConfigSnapshot snapshot = background.snapshot();
            return snapshot != null && snapshot.version == 2 ? true : null;
        }));
        while (waits() < 2) Thread.sleep(5);
        long begin = System.nanoTime();
        assertTrue(background.close(LONG));
        assertTrue(System.nanoTime() - begin < 10e9);
        assertEquals(List.of(), lines.lines());
    }

    @Test
    void aSecondCloseWaitsForTheFirst() throws Exception {
        Background background = open();
        background.add(event(0));
        CompletableFuture<Boolean> other = CompletableFuture.supplyAsync(() -> background.close(LONG));
        assertTrue(background.close(LONG), lines.lines()::toString);
        assertTrue(other.get());
        assertTrue(background.close(Duration.ZERO));
        assertFalse(background.add(event(1)));
        assertEquals(1, posts());
    }

    @Test
    void closingBreaksOffAnAnswerThatDoesNotEndAndKeepsTheEvent() throws Exception {
        script(Map.of("status", 202, "chunks", List.of("{"), "end", "hang"));
        store = folder;
        Background background = open();
        background.add(event(0));
        assertFalse(background.flush(Duration.ofMillis(300)));
        long begin = System.nanoTime();
        assertFalse(background.close(Duration.ofMillis(10)));
        assertTrue(System.nanoTime() - begin < 3e9);
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(
                    1, files.filter(file -> file.toString().endsWith(".ndjson")).count());
        }
        assertEquals(List.of("WARNING event kept for later, client closed: 1"), lines.lines());
    }

    @Test
    void anInterruptedThreadDoesNotWaitAndStillKeepsEventsAndItsFlag() throws Exception {
        script("hang");
        store = folder;
        Background background = open();
        background.add(event(0));
        background.waitFor(LONG, () -> background.snapshot() == null ? null : true);
        Thread.currentThread().interrupt();
        assertFalse(background.flush(LONG));
        assertFalse(background.close(LONG));
        assertTrue(Thread.interrupted());
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(
                    1, files.filter(file -> file.toString().endsWith(".ndjson")).count());
        }
    }

    @Test
    void pollingSurvivesWhatItsListenerThrows() throws Exception {
        pollInterval = Duration.ofMillis(20);
        AtomicInteger loads = new AtomicInteger();
        onLoad = () -> {
            loads.incrementAndGet();
            throw new StackOverflowError();
        };
        open();
        while (loads.get() < 3) Thread.sleep(5);
    }

    @Test
    void anAlarmSurvivesWhatItsTaskThrows() throws Exception {
        ScheduledExecutorService executor = Executors.newScheduledThreadPool(1);
        CompletableFuture<Void> second = new CompletableFuture<>();
        AtomicBoolean hasFailed = new AtomicBoolean();
        Runnable task = () -> {
            if (hasFailed.compareAndSet(false, true)) throw new IllegalStateException("once");
            second.complete(null);
        };
        new Alarm(executor, task, new ClientLog(lines, System::nanoTime)).setFor(0);
        second.get();
        executor.shutdown();
        assertEquals(List.of("ERROR background task failed, java.lang.IllegalStateException"), lines.lines());
    }

    @Test
    void aMalformedKeyOrUrlIsSaidWithoutQuotingIt() throws Exception {
        apiKey = "svc_pk_\nsecret";
        assertFalse(open().waitFor(Duration.ofMillis(200), () -> null));
        apiKey = "svc_pk_secret";
        baseUrl = "http://[svc_pk_secret";
        assertFalse(open().waitFor(Duration.ofMillis(200), () -> null));
        String said = lines.lines().toString();
        assertTrue(said.contains("config not loaded, apiKey or baseUrl is malformed"), said);
        assertFalse(said.contains("secret"), said);
    }

    @Test
    void oddDurationsAreNoErrors() {
        Background background = open();
        assertTrue(background.flush(null));
        assertTrue(background.flush(Duration.ofSeconds(Long.MAX_VALUE)));
        assertFalse(background.waitFor(Duration.ofSeconds(Long.MIN_VALUE), () -> null));
    }

    @Test
    void theBodyOfAnAnswerIsBounded() {
        BoundedBody body = new BoundedBody(10);
        body.onNext(List.of(ByteBuffer.wrap(new byte[8])));
        body.onNext(List.of(ByteBuffer.wrap(new byte[3])));
        assertThrows(
                CompletionException.class,
                () -> body.getBody().toCompletableFuture().join());
    }
}
