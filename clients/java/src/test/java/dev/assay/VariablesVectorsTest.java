package dev.assay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;

import dev.assay.internal.json.Json;
import dev.assay.support.Clients;
import dev.assay.support.RecordingLog;
import dev.assay.support.Vectors;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class VariablesVectorsTest {
    private static final AssayClient LOADED =
            Clients.with(Vectors.read("variables").get("config"));
    private static final AssayClient EMPTY = Clients.with(null);

    @AfterAll
    static void close() {
        LOADED.close();
        EMPTY.close();
    }

    @TestFactory
    Stream<DynamicTest> variables() {
        return Vectors.tests("variables", VariablesVectorsTest::check);
    }

    private static void check(Map<String, Object> vector) {
        AssayClient client = vector.get("loaded") == Boolean.TRUE ? LOADED : EMPTY;
        String experiment = (String) vector.get("experiment");
        if (vector.get("call").equals("get_prompt")) {
            checkPrompt(client.getPrompt(experiment, "u", (String) vector.get("default")), vector);
            return;
        }
        if (vector.get("call").equals("get_variables_detail")) {
            checkDetail(vector);
            return;
        }
        Map<String, Object> defaults = copyOf(vector.get("default"));
        Map<String, Object> answer = client.getVariables(experiment, "u", defaults);
        assertEquals(vector.get("expected"), answer);
        assertEquals(vector.get("default"), defaults);
        assertNotSame(defaults, answer);
        spoil(answer);
        Map<String, Object> fresh = copyOf(vector.get("default"));
        assertEquals(vector.get("expected"), client.getVariables(experiment, "u", fresh));
    }

    private static void checkPrompt(PromptChoice choice, Map<String, Object> vector) {
        Map<String, Object> expected = Vectors.object(vector.get("expected"));
        assertEquals(expected.get("variant"), choice.variant());
        assertEquals(expected.get("prompt"), choice.prompt());
        assertEquals(expected.get("fallback"), choice.fallback());
    }

    private static void checkDetail(Map<String, Object> vector) {
        RecordingLog log = new RecordingLog();
        Object config =
                vector.get("loaded") == Boolean.TRUE ? Vectors.read("variables").get("config") : null;
        try (AssayClient client = Clients.with(config, log)) {
            Map<String, Object> expected = Vectors.object(vector.get("expected"));
            for (int call = 0; call < 2; call++) {
                VariablesChoice choice = client.getVariablesDetail(
                        (String) vector.get("experiment"), "u", copyOf(vector.get("default")));
                assertEquals(expected.get("variant"), choice.variant());
                assertEquals(expected.get("variables"), choice.variables());
                assertEquals(expected.get("fallback"), choice.fallback());
            }
            List<String> warned = log.lines().stream()
                    .filter(line -> line.contains(vector.get("experiment") + ": the variable "))
                    .map(line -> line.replaceAll(".*: the variable (\\w+) is .*", "$1"))
                    .collect(Collectors.toList());
            assertEquals(vector.get("warned"), warned);
        }
    }

    private static Map<String, Object> copyOf(Object value) {
        return Vectors.object(Json.parse(Json.write(value)));
    }

    /** Changes every nested object and list. */
    private static void spoil(Object value) {
        if (value instanceof List) {
            Vectors.list(value).forEach(VariablesVectorsTest::spoil);
            Vectors.list(value).add("spoilt");
        } else if (value instanceof Map) {
            Vectors.object(value).values().forEach(VariablesVectorsTest::spoil);
            Vectors.object(value).put("spoilt", true);
        }
    }
}
