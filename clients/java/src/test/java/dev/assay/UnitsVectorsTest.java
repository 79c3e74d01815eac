package dev.assay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.assay.internal.bucketing.Bucketing;
import dev.assay.internal.json.Json;
import dev.assay.support.RecordingLog;
import dev.assay.support.Vectors;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Experiments that assign conversations or runs. */
class UnitsVectorsTest {
    private static final Map<String, Object> VECTORS = Vectors.read("units");
    private static final List<String> FIELDS = List.of("type", "user_id", "unit_id", "run_id", "variant");
    private static final String NAME = "by-conversation";

    private final RecordingLog log = new RecordingLog();

    @TestFactory
    Stream<DynamicTest> buckets() {
        return Vectors.objects(VECTORS.get("buckets")).stream()
                .map(vector -> DynamicTest.dynamicTest("units.json: " + vector.get("name"), () -> {
                    Bucketing bucketing = new Bucketing(
                            (String) vector.get("salt"),
                            (String) vector.get("experiment_id"),
                            ((Number) vector.get("bucket_count")).longValue());
                    assertEquals(vector.get("bucket"), bucketing.bucketOf((String) vector.get("unit_id")));
                }));
    }

    @TestFactory
    Stream<DynamicTest> cases() {
        return Vectors.tests("units", UnitsVectorsTest::check);
    }

    private static void check(Map<String, Object> vector) {
        RecordingLog log = new RecordingLog();
        AssayClientBuilder builder = builder(log);
        Vectors.object(vector.getOrDefault("overrides", Map.of()))
                .forEach((name, key) -> builder.override(name, (String) key));
        try (AssayClient client = builder.build()) {
            List<String> answers = new ArrayList<>();
            for (Map<String, Object> step : Vectors.objects(vector.get("steps"))) {
                answers.add(takeWithin(client, step, (List<?>) step.get("within")));
            }
            assertEquals(vector.get("answers"), answers);
            assertEquals(vector.get("events"), told(client));
            List<String> advice = log.lines().stream()
                    .filter(line -> line.contains("pass the unit"))
                    .collect(Collectors.toList());
            List<?> warned = (List<?>) vector.get("warned");
            assertEquals(warned.size(), advice.size(), advice.toString());
            for (Object name : warned) {
                assertTrue(advice.stream().anyMatch(line -> line.contains(name + " assigns by ")), advice.toString());
            }
        }
    }

    private static String takeWithin(AssayClient client, Map<String, Object> step, List<?> within) {
        if (within.isEmpty()) return take(client, step);
        List<?> outer = (List<?>) within.get(0);
        String id = (String) outer.get(1);
        Work<String, RuntimeException> work = () -> takeWithin(client, step, within.subList(1, within.size()));
        if (outer.get(0).equals("user")) return client.withUser(id, work);
        return outer.get(0).equals("run") ? client.withRun(id, work) : client.withConversation(id, work);
    }

    private static String take(AssayClient client, Map<String, Object> step) {
        String experiment = (String) step.get("experiment");
        String user = (String) step.get("user_id");
        String unit = (String) step.get("unit_id");
        if (step.get("do").equals("assign")) {
            return unit == null
                    ? client.assign(experiment, user)
                    : client.subject(user, unit).assign(experiment);
        }
        if (step.get("do").equals("track")) {
            Map<String, Object> event = new LinkedHashMap<>(Map.of("experiment_id", experiment, "user_id", user));
            event.put("business_metric", "m");
            if (unit != null) event.put("unit_id", unit);
            client.track("business_event", event);
        } else if (user == null) {
            client.startModelCall(experiment, null).finish(null);
        } else {
            call(client, experiment, user, unit);
        }
        return null;
    }

    private static void call(AssayClient client, String experiment, String user, String unit) {
        try {
            String answer = unit == null
                    ? client.interceptModelCall(experiment, user, () -> "Hi")
                    : client.subject(user, unit).interceptModelCall(experiment, () -> "Hi", null);
            assertEquals("Hi", answer);
        } catch (Exception broken) {
            throw new AssertionError(broken);
        }
    }

    private static AssayClientBuilder builder(RecordingLog log) {
        return new AssayClientBuilder(name -> null)
                .offline(true)
                .recorded(new ArrayList<>())
                .logger(log)
                .bootstrap(Json.write(VECTORS.get("config")));
    }

    private static List<Map<String, Object>> told(AssayClient client) {
        return client.trackedEvents().stream()
                .map(event -> {
                    Map<String, Object> told = new LinkedHashMap<>(event);
                    told.keySet().retainAll(FIELDS);
                    Object conversation = event.get("metadata") instanceof Map
                            ? ((Map<?, ?>) event.get("metadata")).get("conversation_id")
                            : null;
                    if (conversation != null) told.put("conversation_id", conversation);
                    return told;
                })
                .collect(Collectors.toList());
    }

    @Test
    void aSubjectHasTheMethodsOfTheClient() throws Exception {
        try (AssayClient client = builder(log).build()) {
            Subject subject = client.subject("ann", "c-1");
            assertEquals(new PromptChoice("treatment", "T", false), subject.getPrompt(NAME, "D"));
            assertEquals(Map.of("t", 1L), subject.getVariables(NAME, Map.of("t", 0)));
            assertEquals("treatment", subject.getVariablesDetail(NAME, Map.of()).variant());
            assertEquals("treatment", subject.findVariant(NAME));
            assertEquals(
                    "Hi",
                    subject.interceptModelCallAsync(NAME, () -> CompletableFuture.completedFuture("Hi"), null)
                            .toCompletableFuture()
                            .get());
            assertEquals("c-1", told(client).get(2).get("unit_id"));

            assertEquals(new PromptChoice(null, "D", true), client.getPrompt(NAME, "ann", "D"));
            assertEquals(Map.of("t", 0), client.getVariables(NAME, "ann", Map.of("t", 0)));
            assertNull(client.findVariant(NAME, "ann"));
        }
    }

    @Test
    void aCallThatEndsElsewhereNamesItsOwnRunAndUnit() throws Exception {
        try (AssayClient client = builder(log).build()) {
            CallOptions ann = CallOptions.create().user("ann");
            ModelCall call = client.withRun("r-1", () -> client.startModelCall("by-run", ann));
            client.withRun("r-3", () -> {
                call.finish(null);
                return null;
            });
            client.withRun("r-3", () -> client.startModelCall("by-run", ann.unit("r-1")))
                    .finish(null);
            assertEquals(
                    List.of("r-1 r-1", "r-1 r-1", "r-1 r-3", "r-1 r-3"),
                    told(client).stream()
                            .map(event -> event.get("unit_id") + " " + event.get("run_id"))
                            .collect(Collectors.toList()));
        }
    }

    @Test
    void nothingIsAnIdThatIsNull() throws Exception {
        try (AssayClient client = builder(log).build()) {
            assertNull(client.withRun(null, () -> client.assign("by-run", "ann")));
            assertNull(client.withConversation(null, () -> client.assign(NAME, "ann")));
            assertNull(client.subject(null, "c-1").assign(NAME));
            client.withRun(null, () -> {
                client.track("business_event", null);
                return null;
            });
            assertEquals(List.of(), client.trackedEvents());
        }
    }
}
