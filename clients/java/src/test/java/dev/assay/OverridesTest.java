package dev.assay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.assay.internal.event.KeptEvent;
import dev.assay.internal.json.Json;
import dev.assay.support.RecordingLog;
import dev.assay.support.Vectors;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Forced variants, and clients without a service. */
class OverridesTest {
    private static final Map<String, Object> CONFIG =
            Vectors.object(Vectors.read("overrides").get("config"));

    private final RecordingLog lines = new RecordingLog();

    @TestFactory
    Stream<DynamicTest> overrides() {
        return Vectors.tests("overrides", OverridesTest::check);
    }

    private static void check(Map<String, Object> vector) {
        RecordingLog lines = new RecordingLog();
        AssayClientBuilder builder = recording(lines, new ArrayList<>());
        Vectors.object(vector.get("overrides")).forEach((name, key) -> builder.override(name, (String) key));
        if (vector.get("loaded") == Boolean.TRUE) builder.bootstrap(Json.write(CONFIG));
        try (AssayClient client = builder.build()) {
            String experiment = (String) vector.get("experiment");
            String user = (String) vector.get("user_id");
            for (int i = 0; i < 2; i++) assertEquals(vector.get("variant"), client.assign(experiment, user));
            assertEquals(
                    vector.get("variant"),
                    client.getPrompt(experiment, user, "default").variant());
            Map<String, Object> metadata = new HashMap<>(Map.of("mine", 1L));
            client.track("business_event", Map.of("experiment_id", experiment, "user_id", user, "metadata", metadata));
            client.track("business_event", Map.of("experiment_id", experiment, "user_id", user, "metadata", "text"));
            assertEquals(Map.of("mine", 1L), metadata);

            boolean isMarked = vector.get("marked") == Boolean.TRUE;
            List<Map<String, Object>> events = client.trackedEvents();
            boolean isExposed = vector.get("variant") != null && !experiment.equals("shipped");
            assertEquals(isExposed ? 3 : 2, events.size());
            if (isExposed) {
                assertEquals(vector.get("variant"), events.get(0).get("variant"));
                assertEquals(
                        isMarked ? Map.of("assay_test", true) : null,
                        events.remove(0).get("metadata"));
            }
            if (isMarked) metadata.put("assay_test", true);
            assertEquals(metadata, events.get(0).get("metadata"));
            assertEquals(
                    isMarked ? Map.of("assay_test", true) : "text",
                    events.get(1).get("metadata"));
        }
        List<Object> ignored = Vectors.list(vector.get("ignored"));
        List<String> warnings = lines.lines().stream()
                .filter(line -> line.contains("override ignored"))
                .collect(Collectors.toList());
        assertEquals(ignored.size(), warnings.size(), warnings::toString);
        for (Object key : ignored) assertTrue(warnings.get(0).endsWith(" " + key), warnings::toString);
    }

    @Test
    void aForcedVariantGivesItsContentToItsUsersButNobodyIsNoUser() {
        try (AssayClient client = recording(lines, new ArrayList<>())
                .bootstrap(Json.write(CONFIG))
                .override("greeting", "short")
                .override(null, "x")
                .override("x", null)
                .build()) {
            assertEquals("S", client.getPrompt("greeting", "u", "default").prompt());
            assertEquals(Map.of("t", 1L), client.getVariables("greeting", "u", Map.of("t", 2)));
            assertNull(client.assign("greeting", null));
        }
    }

    @Test
    void theModelCallsOfAForcedVariantAreMarked() throws Exception {
        try (AssayClient client = recording(lines, new ArrayList<>())
                .bootstrap(Json.write(CONFIG))
                .override("greeting", "short")
                .build()) {
            assertEquals("answer", client.interceptModelCall("greeting", "u", () -> "answer"));
            List<Map<String, Object>> events = client.trackedEvents();
            assertEquals(2, events.size());
            for (Map<String, Object> event : events) assertEquals(Map.of("assay_test", true), event.get("metadata"));
        }
    }

    @Test
    void aClientForTestsHasFixedVariantsAndKeepsWhatIsTracked() {
        try (AssayClient client = AssayClient.forTests(Map.of("greeting", "short"))) {
            assertTrue(client.awaitReady(Duration.ZERO));
            assertEquals("short", client.assign("greeting", "ann"));
            assertNull(client.assign("other", "ann"));
            assertEquals(
                    "Answer.", client.getPrompt("greeting", "bob", "Answer.").prompt());
            client.track("business_event", Map.of("experiment_id", "greeting", "user_id", "ann", "value", 2));
            assertTrue(client.flush(Duration.ZERO));
            assertEquals(
                    List.of("exposure", "exposure", "business_event"),
                    client.trackedEvents().stream()
                            .map(event -> event.get("type"))
                            .collect(Collectors.toList()));
            assertEquals(2L, client.trackedEvents().get(2).get("value"));
        }
    }

    @Test
    void aClientForTestsBearsNulls() {
        try (AssayClient client = AssayClient.forTests(null)) {
            assertNull(client.assign("greeting", "ann"));
        }
        Map<String, String> variants = new HashMap<>(Map.of("greeting", "short"));
        variants.put("other", null);
        variants.put(null, "x");
        try (AssayClient client = AssayClient.forTests(variants)) {
            assertEquals("short", client.assign("greeting", "ann"));
            assertNull(client.assign("other", "ann"));
            assertNull(client.assign(null, "ann"));
        }
    }

    @Test
    void anOfflineClientNeedsNothingAndSaysNothing() {
        AssayClientBuilder builder =
                new AssayClientBuilder(name -> null).offline(true).logger(lines);
        try (AssayClient client = builder.build()) {
            assertTrue(client.awaitReady(Duration.ZERO));
            client.track("business_event", Map.of("experiment_id", "greeting", "user_id", "ann"));
            assertTrue(client.close(Duration.ZERO));
            assertEquals(List.of(), client.trackedEvents());
        }
        assertEquals(List.of(), lines.lines());
    }

    private static AssayClientBuilder recording(RecordingLog lines, List<KeptEvent> events) {
        return new AssayClientBuilder(name -> null).offline(true).logger(lines).recorded(events);
    }
}
