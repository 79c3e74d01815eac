package dev.assay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.assay.internal.json.Json;
import dev.assay.support.RecordingLog;
import dev.assay.support.Vectors;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Names of business metrics that no metric reads. */
class MetricNamesTest {
    private static final Map<String, Object> VECTORS = Vectors.read("metric-names");

    private final RecordingLog log = new RecordingLog();

    private AssayClient client() {
        return new AssayClientBuilder(name -> null)
                .offline(true)
                .logger(log)
                .recorded(new ArrayList<>())
                .bootstrap(Json.write(VECTORS.get("config")))
                .build();
    }

    @TestFactory
    Stream<DynamicTest> names() {
        return Vectors.tests("metric-names", vector -> new MetricNamesTest().check(vector));
    }

    private void check(Map<String, Object> vector) {
        Object experiment = vector.get("experiment_id");
        Object name = vector.get("business_metric");
        Map<String, Object> payload = new HashMap<>(Map.of("experiment_id", experiment, "user_id", "u"));
        if (name != null) payload.put("business_metric", name);
        try (AssayClient client = client()) {
            for (int i = 0; i < 2; i++) client.track(name == null ? "exposure" : "business_event", payload);
            assertEquals(2, client.trackedEvents().size());
        }
        String said = experiment + ": no metric reads the business_metric " + name;
        assertEquals(
                Boolean.TRUE.equals(vector.get("warns")) ? 1 : 0, log.lines().size());
        for (String line : log.lines()) assertTrue(line.endsWith(said), line);
    }

    @Test
    void aHundredNamesAtMostAndLongOnesShortened() {
        try (AssayClient client = client()) {
            for (int i = 0; i < 200; i++) {
                String name = i + " " + "x".repeat(1_000);
                client.track(
                        "business_event", Map.of("experiment_id", "greeting", "user_id", "u", "business_metric", name));
            }
            assertEquals(200, client.trackedEvents().size());
        }
        List<String> lines = log.lines();
        assertEquals(100, lines.size());
        for (String line : lines) assertTrue(line.length() < 600, line);
    }
}
