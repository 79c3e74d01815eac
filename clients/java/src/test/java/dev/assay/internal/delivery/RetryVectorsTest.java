package dev.assay.internal.delivery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.assay.internal.json.Json;
import dev.assay.support.LogLines;
import dev.assay.support.ScenarioServer;
import dev.assay.support.Vectors;
import dev.assay.support.VirtualClient;
import dev.assay.support.VirtualRun;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class RetryVectorsTest {
    private static final String API_KEY = "svc_pk_scenario";
    private static final Map<String, Object> NO_EXPERIMENTS =
            Map.of("status", 200, "body", Map.of("config_version", 1, "experiments", List.of()));

    private VirtualClient client;
    private final Map<Integer, List<Object>> outcomes = new LinkedHashMap<>();
    private int tracked;

    @TestFactory
    Stream<DynamicTest> retry() {
        return Vectors.tests("retry", vector -> new RetryVectorsTest().check(vector));
    }

    private void check(Map<String, Object> vector) {
        try {
            play(vector);
            List<Map<String, Object>> posts = ScenarioServer.get().requests().stream()
                    .filter(request -> !VirtualClient.CONFIG.equals(request.get("path")))
                    .collect(Collectors.toList());
            checkRequests(Vectors.objects(vector.get("requests")), posts);
            checkFlushes(Vectors.objects(vector.get("flushes")));
            LogLines.check(vector.get("log"), client.lines.lines(), API_KEY);
        } catch (Exception e) {
            throw new AssertionError(e);
        } finally {
            client.close();
        }
    }

    private void play(Map<String, Object> vector) throws Exception {
        VirtualRun run = new VirtualRun(Map.of(
                VirtualClient.CONFIG, List.of(NO_EXPERIMENTS),
                VirtualClient.EVENTS, Vectors.list(vector.get("replies"))));
        double random = ((Number) vector.get("random")).doubleValue();
        client = new VirtualClient(run, API_KEY, random, 1_000_000_000);
        for (Map<String, Object> tracks : Vectors.objects(vector.get("tracks"))) {
            run.at(Vectors.integer(tracks.get("at_ms")), () -> track(tracks));
        }
        List<Map<String, Object>> flushes = Vectors.objects(vector.get("flushes"));
        for (int i = 0; i < flushes.size(); i++) {
            int index = i;
            long timeout = Vectors.integer(flushes.get(i).get("timeout_ms"));
            boolean isReport = flushes.get(i).containsKey("rejected");
            run.at(
                    Vectors.integer(flushes.get(i).get("at_ms")),
                    () -> client.flush(
                            timeout,
                            outcome -> outcomes.put(
                                    index, List.of(outcome, run.now(), isReport ? rejected() : List.of()))));
        }
        run.runUntil(Vectors.integer(vector.getOrDefault("run_ms", 1_000_000L)));
    }

    private List<Object> rejected() {
        List<Object> rejected = new ArrayList<>();
        client.delivery
                .takeRejected()
                .forEach((detail, count) -> rejected.add(Map.of("detail", detail, "count", (long) count)));
        return rejected;
    }

    private void track(Map<String, Object> tracks) {
        int filler = (int) Vectors.integer(tracks.getOrDefault("filler_bytes", 0L));
        for (long i = Vectors.integer(tracks.get("count")); i > 0; i--) {
            Map<String, Object> event = new LinkedHashMap<>();
            event.put("event_id", "e" + tracked++);
            event.put("experiment_id", "x");
            event.put("user_id", "u");
            event.put("business_metric", "m");
            if (filler > 0) event.put("metadata", Map.of("filler", "x".repeat(filler)));
            client.track("business_event", event);
        }
    }

    private void checkRequests(List<Map<String, Object>> expected, List<Map<String, Object>> posts) {
        List<Object> wanted = new ArrayList<>();
        for (Map<String, Object> request : expected) {
            long first = Vectors.integer(request.get("first"));
            long end = first + Vectors.integer(request.get("count"));
            wanted.add(LongStream.range(first, end).mapToObj(n -> "e" + n).collect(Collectors.toList()));
        }
        assertEquals(wanted, posts.stream().map(RetryVectorsTest::idsOf).collect(Collectors.toList()));
        assertEquals(
                expected.stream().map(request -> request.get("at_ms")).collect(Collectors.toList()),
                client.sentAt(VirtualClient.EVENTS));
        for (int i = 0; i < posts.size(); i++) {
            Map<String, Object> headers = Vectors.object(posts.get(i).get("headers"));
            assertEquals(
                    "POST " + VirtualClient.EVENTS,
                    posts.get(i).get("method") + " " + posts.get(i).get("path"));
            assertEquals(API_KEY, headers.get("x-api-key"));
            assertEquals("application/json", headers.get("content-type"));
            boolean isRetry = i > 0 && wanted.get(i).equals(wanted.get(i - 1));
            if (isRetry) assertEquals(posts.get(i - 1).get("body"), posts.get(i).get("body"));
        }
    }

    private static List<Object> idsOf(Map<String, Object> post) {
        Map<String, Object> body = Vectors.object(Json.parse((String) post.get("body")));
        return Vectors.objects(body.get("events")).stream()
                .map(event -> event.get("event_id"))
                .collect(Collectors.toList());
    }

    private void checkFlushes(List<Map<String, Object>> expected) {
        assertEquals(expected.size(), outcomes.size());
        for (int i = 0; i < expected.size(); i++) {
            Map<String, Object> flush = expected.get(i);
            Object rejected = flush.getOrDefault("rejected", List.of());
            assertEquals(List.of(flush.get("delivered"), flush.get("answered_at_ms"), rejected), outcomes.get(i));
        }
        assertTrue(client.delivery.wakeAt() > 0, "nothing is left to do");
    }
}
