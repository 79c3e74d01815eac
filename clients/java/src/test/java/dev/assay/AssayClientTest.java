package dev.assay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.assay.internal.json.Json;
import dev.assay.support.Clients;
import dev.assay.support.RecordingLog;
import dev.assay.support.ScenarioServer;
import dev.assay.support.Vectors;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AssayClientTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final String ID = "0190a6c2-7b5e-7c3d-9f10-000000000001";
    private static final Map<String, Object> CONFIG = configOf();

    private final RecordingLog log = new RecordingLog();
    private final AtomicLong now = new AtomicLong(1_700_000_000_000L);

    private static Map<String, Object> configOf() {
        Map<String, Object> variant = Map.of("key", "short", "prompt", "Be brief.", "variables", Map.of("t", 0.5));
        Map<String, Object> experiment = Map.of(
                "id",
                ID,
                "name",
                "greeting",
                "status",
                "running",
                "salt",
                "s",
                "bucket_count",
                1,
                "buckets",
                List.of(List.of(1, 0)),
                "variants",
                List.of(variant));
        return Map.of("config_version", 1, "experiments", List.of(experiment));
    }

    @BeforeEach
    void installService() throws Exception {
        ScenarioServer.get()
                .install(Map.of(
                        "/v1/config", List.of(Map.of("status", 200, "body", CONFIG)),
                        "/v1/events",
                                List.of(Map.of("status", 202, "body", Map.of("accepted", 1, "config_version", 1)))));
    }

    private AssayClientBuilder builder() throws Exception {
        Clock clock = new Clock() {
            @Override
            public ZoneId getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(ZoneId zone) {
                return this;
            }

            @Override
            public Instant instant() {
                return Instant.ofEpochMilli(now.get());
            }
        };
        return AssayClient.builder()
                .apiKey("svc_pk_1")
                .baseUrl(ScenarioServer.get().url())
                .bootstrap(Json.write(CONFIG))
                .logger(log)
                .clock(clock);
    }

    /** The events that the service was sent, in any order. */
    private static List<Map<String, Object>> sent() throws Exception {
        List<Map<String, Object>> events = new ArrayList<>();
        for (Map<String, Object> request : ScenarioServer.get().requests()) {
            if (!request.get("path").equals("/v1/events")) continue;
            Map<String, Object> batch = Vectors.object(Json.parse((String) request.get("body")));
            events.addAll(Vectors.objects(batch.get("events")));
        }
        return events;
    }

    @Test
    void recordsOneExposurePerUserWithinTenMinutes() throws Exception {
        try (AssayClient client = builder().build()) {
            for (int i = 0; i < 3; i++) {
                assertEquals("short", client.assign("greeting", "u"));
                client.getPrompt(ID, "u", "");
                client.getVariables(ID, "u", Map.of());
            }
            now.addAndGet(599_999);
            client.assign("greeting", "u");
            now.addAndGet(1);
            client.assign("greeting", "u");
            assertTrue(client.flush(LONG));
        }
        List<Map<String, Object>> events = sent();
        assertEquals(2, events.size());
        Map<String, Object> exposure = events.get(0);
        assertTrue(((String) exposure.remove("event_id")).matches("[0-9a-f]{8}-[0-9a-f]{4}-7.*"));
        assertEquals(
                Map.of(
                        "type",
                        "exposure",
                        "experiment_id",
                        ID,
                        "user_id",
                        "u",
                        "variant",
                        "short",
                        "timestamp",
                        "2023-11-14T22:13:20.000Z"),
                exposure);
        assertEquals(List.of(), log.lines());
    }

    @Test
    void recordsNoExposureWhenItIsTurnedOff() throws Exception {
        try (AssayClient client = builder().trackExposures(false).build()) {
            assertEquals("short", client.assign("greeting", "u"));
            client.track("business_event", Map.of("experiment_id", ID, "user_id", "u"));
        }
        assertEquals(List.of("business_event"), typesOf(sent()));
    }

    @Test
    void recordsNoExposureToAShippedVariantAndGoesOnReportingCalls() throws Exception {
        Map<String, Object> shipped =
                new LinkedHashMap<>(Vectors.objects(CONFIG.get("experiments")).get(0));
        shipped.put("shipped", true);
        String config = Json.write(Map.of("config_version", 1, "experiments", List.of(shipped)));
        try (AssayClient client = builder().bootstrap(config).build()) {
            assertEquals("short", client.assign("greeting", "u"));
            assertEquals("Hello", client.interceptModelCall("greeting", "u", () -> "Hello"));
        }
        assertEquals(List.of("model_call"), typesOf(sent()));
    }

    private static List<Object> typesOf(List<Map<String, Object>> events) {
        return events.stream().map(event -> event.get("type")).collect(Collectors.toList());
    }

    @Test
    void loadsTheConfigAndHandsItOn() throws Exception {
        String snapshot;
        try (AssayClient client =
                builder().bootstrap(null).experiments("greeting", "lost").build()) {
            assertFalse(client.awaitReady(Duration.ofMillis(1)));
            try (AssayClient ready =
                    builder().bootstrap(null).experiments("greeting").build()) {
                assertTrue(ready.awaitReady(LONG));
                snapshot = ready.configSnapshot();
            }
        }
        assertEquals(Json.parse(Json.write(CONFIG)), Json.parse(snapshot));
        try (AssayClient second = Clients.offline(log).bootstrap(snapshot).build()) {
            assertTrue(second.awaitReady(Duration.ZERO));
            assertEquals("short", second.assign("greeting", "u"));
            assertEquals(new PromptChoice("short", "Be brief.", false), second.getPrompt(ID, "u", "Answer."));
            assertEquals(Map.of("t", 0.5, "x", 1), second.getVariables(ID, "u", Map.of("t", 1, "x", 1)));
            assertEquals(snapshot, second.configSnapshot());
        }
    }

    @Test
    void warnsOfAnExperimentThatTheConfigLacksOnce() throws Exception {
        try (AssayClient client = builder().experiments("greeting", "lost").build()) {
            assertFalse(client.awaitReady(Duration.ofMillis(20)));
            assertNull(client.assign("lost", "u"));
        }
        assertEquals(List.of("WARNING config has no experiment lost"), log.lines());
    }

    @Test
    void warnsOnceOfEachNameThatTheConfigLacksAndOf1000AtMost() throws Exception {
        try (AssayClient client = builder().build()) {
            for (String name : List.of("greting", "greting", "greetings")) assertNull(client.assign(name, "u"));
            assertEquals(
                    List.of("WARNING config has no experiment greting", "WARNING config has no experiment greetings"),
                    log.lines());
            for (int index = 0; index < 2_000; index++) client.assign(index + "x".repeat(10_000), "u");
        }
        assertEquals(1_000, log.lines().size());
        assertTrue(log.lines().stream().allMatch(line -> line.length() < 400));
    }

    @Test
    void closingEndsWaitsForReadiness() throws Exception {
        AssayClient client = builder().bootstrap(null).experiments("lost").build();
        ExecutorService pool = Executors.newSingleThreadExecutor();
        Future<Boolean> ready = pool.submit(() -> client.awaitReady(Duration.ofDays(1)));
        client.close();
        assertFalse(ready.get());
        pool.shutdown();
    }

    @Test
    void aClosedClientAssignsAndRecordsNothing() throws Exception {
        AssayClient client = builder().build();
        assertTrue(client.close(LONG));
        assertEquals("short", client.assign("greeting", "u"));
        client.track("exposure", Map.of());
        client.track("exposure", Map.of());
        client.close();
        client.flush();
        assertEquals(List.of(), sent());
        assertEquals(List.of("WARNING track after close ignored"), log.lines());
    }

    @Test
    void assignmentsBeforeTheConfigAreCounted() throws Exception {
        AssayClient client = Clients.offline(log).build();
        for (int i = 0; i < 5; i++) assertNull(client.assign("greeting", "u"));
        assertEquals(new PromptChoice(null, "Answer.", true), client.getPrompt("greeting", "u", "Answer."));
        client.close(Duration.ZERO);
        List<String> nulls =
                log.lines().stream().filter(line -> line.contains("not loaded")).collect(Collectors.toList());
        assertEquals(
                List.of("WARNING assigned null, config not loaded: 1", "WARNING assigned null, config not loaded: 5"),
                nulls);
    }

    @Test
    void aFlushCoversACallThatHasEndedButWasNotToldSo() throws Exception {
        try (AssayClient client = builder().build()) {
            CompletableFuture<String> answer = new CompletableFuture<>();
            client.interceptModelCallAsync("greeting", "u", () -> answer);
            List<Object> types = new ArrayList<>();
            // The last callback of a future runs first.
            CompletableFuture<Void> flushed = answer.thenAccept(text -> {
                assertTrue(client.flush(LONG));
                types.addAll(typesOf(sentNow()));
            });
            answer.complete("x");
            flushed.join();
            assertEquals(List.of("exposure", "model_call"), types);
        }
        assertEquals(2, sent().size());
    }

    private static List<Map<String, Object>> sentNow() {
        try {
            return sent();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void manyThreadsRecordEachUserOnceAndEachEventOnce() throws Exception {
        int threads = 8;
        int users = 300;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        CountDownLatch start = new CountDownLatch(1);
        try (AssayClient client = builder().build()) {
            List<Future<?>> work = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                int thread = t;
                work.add(pool.submit(() -> {
                    start.await();
                    for (int i = 0; i < users; i++) {
                        assertEquals("short", client.assign("greeting", "user-" + i));
                        client.track("business_event", Map.of("n", thread * users + i));
                    }
                    return null;
                }));
            }
            start.countDown();
            for (Future<?> done : work) done.get();
            assertTrue(client.flush(LONG));
        }
        pool.shutdown();
        List<Map<String, Object>> events = sent();
        Set<Object> exposed = new HashSet<>();
        Set<Object> numbers = new HashSet<>();
        Set<Object> ids = new HashSet<>();
        for (Map<String, Object> event : events) {
            ids.add(event.get("event_id"));
            if (event.get("type").equals("exposure")) exposed.add(event.get("user_id"));
            else numbers.add(event.get("n"));
        }
        assertEquals(users, exposed.size());
        assertEquals(threads * users, numbers.size());
        assertEquals(users + threads * users, events.size());
        assertEquals(events.size(), ids.size());
        assertEquals(List.of(), log.lines());
    }
}
