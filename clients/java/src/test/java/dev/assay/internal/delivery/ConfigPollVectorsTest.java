package dev.assay.internal.delivery;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.assay.support.Build;
import dev.assay.support.LogLines;
import dev.assay.support.ScenarioServer;
import dev.assay.support.Vectors;
import dev.assay.support.VirtualClient;
import dev.assay.support.VirtualRun;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class ConfigPollVectorsTest {
    private static final String API_KEY = "svc_pk_scenario";

    private VirtualClient client;
    private VirtualRun run;
    private final List<Object> found = new ArrayList<>();
    private final List<Object> readiness = new ArrayList<>();

    @TestFactory
    Stream<DynamicTest> configPoll() {
        return Vectors.tests("config-poll", vector -> new ConfigPollVectorsTest().check(vector));
    }

    private void check(Map<String, Object> vector) {
        try {
            play(vector);
            checkRequests(Vectors.objects(vector.get("requests")));
            assertEquals(valuesOf(vector.get("checks"), "variant"), found);
            Map<String, Object> ready = Vectors.object(vector.get("ready"));
            assertEquals(
                    ready == null ? List.of() : List.of(ready.get("result"), ready.get("answered_at_ms")), readiness);
            assertEquals(
                    Vectors.list(vector.get("acks")).size(),
                    client.sentAt(VirtualClient.EVENTS).size());
            LogLines.check(vector.get("log"), client.lines.lines(), API_KEY);
        } catch (Exception e) {
            throw new AssertionError(e);
        } finally {
            client.close();
        }
    }

    private void play(Map<String, Object> vector) throws Exception {
        List<Map<String, Object>> acks = Vectors.objects(vector.get("acks"));
        List<Object> answers = acks.stream().map(ConfigPollVectorsTest::toReply).collect(Collectors.toList());
        Map<String, List<Object>> scenario = new HashMap<>();
        scenario.put(VirtualClient.CONFIG, Vectors.list(vector.get("replies")));
        scenario.put(VirtualClient.EVENTS, answers);
        boolean longPoll = vector.get("long_poll") != null;
        if (longPoll) scenario.put(VirtualClient.WAIT, Vectors.list(vector.get("waits")));
        run = new VirtualRun(scenario);
        client = new VirtualClient(run, API_KEY, ((Number) vector.get("random")).doubleValue(), 60_000, longPoll);
        if (vector.get("ready") != null) awaitReady(Vectors.object(vector.get("ready")));
        for (Map<String, Object> ack : acks) run.at(Vectors.integer(ack.get("at_ms")), this::sendOne);
        for (Map<String, Object> check : Vectors.objects(vector.get("checks"))) {
            run.at(
                    Vectors.integer(check.get("at_ms")),
                    () -> found.add(client.assign((String) check.get("experiment"), "u")));
        }
        run.runUntil(Vectors.integer(vector.get("run_ms")));
    }

    private void awaitReady(Map<String, Object> ready) {
        client.await(
                Vectors.integer(ready.get("timeout_ms")),
                () -> client.polling.snapshot() == null ? null : true,
                outcome -> readiness.addAll(List.of(outcome, run.now())));
    }

    private void sendOne() {
        client.track("business_event", Map.of("event_id", "e", "experiment_id", "x", "user_id", "u"));
        client.delivery.flush();
    }

    private static Object toReply(Map<String, Object> ack) {
        Object version = ack.get("config_version");
        return Map.of("status", 202, "body", Map.of("accepted", 1, "config_version", version, "rejected", List.of()));
    }

    private void checkRequests(List<Map<String, Object>> expected) throws Exception {
        List<Map<String, Object>> polls = ScenarioServer.get().requests().stream()
                .filter(request -> !VirtualClient.EVENTS.equals(request.get("path")))
                .collect(Collectors.toList());
        List<Long> sentAt = new ArrayList<>(client.sentAt(VirtualClient.CONFIG));
        sentAt.addAll(client.sentAt(VirtualClient.WAIT));
        sentAt.sort(null);
        assertEquals(valuesOf(expected, "at_ms"), sentAt);
        List<Object> paths = new ArrayList<>();
        List<Object> etags = new ArrayList<>();
        for (Map<String, Object> poll : polls) {
            Map<String, Object> headers = Vectors.object(poll.get("headers"));
            assertEquals("GET", poll.get("method"));
            paths.add(poll.get("path"));
            assertEquals(API_KEY, headers.get("x-api-key"));
            assertEquals("assay-java/" + Build.version(), headers.get("user-agent"));
            etags.add(headers.get("if-none-match"));
        }
        assertEquals(valuesOf(expected, "if_none_match"), etags);
        assertEquals(
                valuesOf(expected, "wait_seconds").stream()
                        .map(wait -> wait == null ? VirtualClient.CONFIG : VirtualClient.CONFIG + "?wait=" + wait)
                        .collect(Collectors.toList()),
                paths);
    }

    private static List<Object> valuesOf(Object objects, String field) {
        return Vectors.objects(objects).stream()
                .map(object -> object.get(field))
                .collect(Collectors.toList());
    }
}
