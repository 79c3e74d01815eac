package dev.assay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.assay.internal.json.Json;
import dev.assay.support.RecordingLog;
import dev.assay.support.Vectors;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Tool calls of agents, and the ends of their runs. */
class RunsVectorsTest {
    private static final Map<String, Object> VECTORS = Vectors.read("runs");
    private static final Map<String, Mask> MASKS = Map.of(
            "names", (text, part) -> part.name().toLowerCase() + ":" + text,
            "withholds", (text, part) -> null,
            "throws",
                    (text, part) -> {
                        throw new IllegalStateException("broken");
                    });

    @TestFactory
    Stream<DynamicTest> cases() {
        return Vectors.tests("runs", RunsVectorsTest::check);
    }

    private static void check(Map<String, Object> vector) {
        RecordingLog log = new RecordingLog();
        AssayClientBuilder builder = new AssayClientBuilder(name -> null)
                .offline(true)
                .recorded(new ArrayList<>())
                .logger(log)
                .bootstrap(Json.write(VECTORS.get("config")));
        Vectors.object(vector.getOrDefault("overrides", Map.of()))
                .forEach((name, key) -> builder.override(name, (String) key));
        if (vector.containsKey("mask")) builder.mask(MASKS.get(vector.get("mask")));
        try (AssayClient client = builder.build()) {
            for (Map<String, Object> step : Vectors.objects(unmark(vector.get("steps")))) {
                takeWithin(client, step, (List<?>) step.get("within"));
            }
            List<Map<String, Object>> expected = Vectors.objects(unmark(vector.get("events")));
            List<Map<String, Object>> rows = new ArrayList<>();
            for (Map<String, Object> event : client.trackedEvents()) {
                rows.add(told(event, rows.size() < expected.size() ? expected.get(rows.size()) : Map.of()));
            }
            assertEquals(expected, rows);
            List<?> warned = (List<?>) vector.get("warned");
            assertEquals(warned.size(), log.lines().size(), log.lines().toString());
            for (int i = 0; i < warned.size(); i++) {
                assertTrue(
                        log.lines().get(i).contains((String) warned.get(i)),
                        log.lines().get(i));
            }
        }
    }

    private static Map<String, Object> told(Map<String, Object> event, Map<String, Object> wanted) {
        Map<String, Object> told = new LinkedHashMap<>(event);
        told.keySet().removeAll(List.of("event_id", "timestamp"));
        boolean isMeasured = "measured".equals(wanted.get("latency_ms"))
                && told.get("latency_ms") instanceof Number
                && ((Number) told.get("latency_ms")).doubleValue() >= 0;
        if (isMeasured) told.put("latency_ms", "measured");
        return told;
    }

    private static Void takeWithin(AssayClient client, Map<String, Object> step, List<?> within) {
        if (within.isEmpty()) return take(client, step);
        List<?> outer = (List<?>) within.get(0);
        String id = (String) outer.get(1);
        Work<Void, RuntimeException> work = () -> takeWithin(client, step, within.subList(1, within.size()));
        if (outer.get(0).equals("user")) return client.withUser(id, work);
        return outer.get(0).equals("run") ? client.withRun(id, work) : client.withConversation(id, work);
    }

    private static Void take(AssayClient client, Map<String, Object> step) {
        String experiment = (String) step.get("experiment");
        String user = (String) step.get("user_id");
        Agent plain = user == null
                ? client.agent(experiment)
                : client.subject(user, (String) step.get("unit_id")).agent(experiment);
        Agent agent = plain.named((String) step.get("agent_name"));
        if (step.get("do").equals("record")) {
            agent.trackToolCall((String) step.get("tool"), Vectors.object(step.get("told")));
        } else if (step.get("do").equals("call")) {
            call(agent, step);
        } else {
            boolean isCompleted = !Boolean.FALSE.equals(step.get("completed"));
            String run = (String) step.get("run_id");
            if (run != null) agent.endRun(isCompleted, run);
            else if (step.containsKey("completed")) agent.endRun(isCompleted);
            else agent.endRun();
        }
        return null;
    }

    private static void call(Agent agent, Map<String, Object> step) {
        String tool = (String) step.get("tool");
        RuntimeException failure = failure((String) step.get("throws"));
        Work<Object, RuntimeException> work = () -> {
            if (step.containsKey("inside")) {
                Map<String, Object> inside = Vectors.object(step.get("inside"));
                agent.callTool((String) inside.get("tool"), () -> inside.get("returns"));
            }
            if (failure != null) throw failure;
            return step.get("returns");
        };
        if (failure == null) assertSame(step.get("returns"), agent.callTool(tool, work, step.get("arguments")));
        else
            assertSame(
                    failure,
                    assertThrows(RuntimeException.class, () -> agent.callTool(tool, work, step.get("arguments"))));
    }

    private static final class SearchDown extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private static RuntimeException failure(String name) {
        if (name == null) return null;
        return name.equals("AbortError") ? new CancellationException() : new SearchDown();
    }

    /** Resolves the markers of long texts. */
    private static Object unmark(Object value) {
        if (value instanceof List) {
            return ((List<?>) value).stream().map(RunsVectorsTest::unmark).collect(Collectors.toList());
        }
        if (!(value instanceof Map)) return value;
        Map<?, ?> fields = (Map<?, ?>) value;
        if (fields.containsKey("$")) {
            String then = fields.containsKey("then") ? (String) fields.get("then") : "";
            return ((String) fields.get("text")).repeat(((Number) fields.get("times")).intValue()) + then;
        }
        Map<Object, Object> resolved = new LinkedHashMap<>();
        fields.forEach((name, inner) -> resolved.put(name, unmark(inner)));
        return resolved;
    }

    @Test
    void oddValuesDisturbNothing() {
        AssayClient client = AssayClient.forTests(Map.of("greeting", "short"));
        List<Object> cycle = new ArrayList<>();
        cycle.add(cycle);
        for (Object odd : Arrays.asList(cycle, new Object(), Double.NaN, new int[] {1, 2}, Map.of(1, 2))) {
            assertSame(odd, client.subject("ann", null).agent("greeting").callTool("search", () -> odd, odd));
        }
        assertEquals(5, client.trackedEvents().size());
        assertEquals("[1,2]", client.trackedEvents().get(3).get("tool_result"));

        Agent nobody = client.agent(null).named(null);
        assertEquals(1, nobody.callTool(null, () -> 1, null));
        Agent ann = client.subject("ann", null).agent("greeting").named("");
        assertEquals(1, ann.callTool(null, () -> 1));
        ann.trackToolCall("search", null);
        ann.trackToolCall(null, null);
        ann.endRun(true, null);
        assertEquals(6, client.trackedEvents().size());
    }

    @Test
    void aModelCallMayNameItsAgent() throws Exception {
        AssayClient client = AssayClient.forTests(Map.of("greeting", "short"));
        client.interceptModelCall(
                "greeting",
                "ann",
                () -> "Hi",
                answer -> ModelCallFacts.builder().agentName("support").build());
        assertEquals("support", client.trackedEvents().get(1).get("agent_name"));
    }

    @Test
    void aToolThrowsItsOwnCheckedException() {
        AssayClient client = AssayClient.forTests(Map.of("greeting", "short"));
        Agent agent = client.subject("ann", null).agent("greeting");
        assertThrows(
                java.io.IOException.class,
                () -> agent.callTool("search", () -> {
                    throw new java.io.IOException();
                }));
        assertEquals("IOException", client.trackedEvents().get(0).get("error_type"));
    }
}
