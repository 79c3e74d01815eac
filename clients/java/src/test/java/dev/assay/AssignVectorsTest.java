package dev.assay;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.assay.internal.json.Json;
import dev.assay.support.Clients;
import dev.assay.support.Vectors;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class AssignVectorsTest {
    private static final Map<String, Object> VECTORS = Vectors.read("assign");
    private static final AssayClient LOADED = Clients.with(VECTORS.get("config"));
    private static final AssayClient EMPTY = Clients.with(null);

    @AfterAll
    static void close() {
        LOADED.close();
        EMPTY.close();
    }

    @TestFactory
    Stream<DynamicTest> assign() {
        return Vectors.tests("assign", vector -> {
            String user = vector.containsKey("user_id")
                    ? (String) vector.get("user_id")
                    : Vectors.ofUnits(vector.get("user_utf16"));
            AssayClient client = vector.get("loaded") == Boolean.TRUE ? LOADED : EMPTY;
            assertEquals(vector.get("variant"), client.assign((String) vector.get("experiment"), user));
        });
    }

    @TestFactory
    Stream<DynamicTest> counts() {
        return Vectors.objects(VECTORS.get("counts")).stream()
                .map(row -> DynamicTest.dynamicTest(
                        "assign.json: 1,000 users of " + row.get("experiment"), () -> checkCounts(row)));
    }

    private static void checkCounts(Map<String, Object> row) {
        Map<String, Object> expected = new HashMap<>(Vectors.object(row.get("expected")));
        expected.put(null, row.get("expected_null"));
        Map<String, Object> counts = new HashMap<>(expected);
        counts.replaceAll((key, count) -> 0L);
        for (int i = 0; i < 1_000; i++) {
            String variant = LOADED.assign((String) row.get("experiment"), "user-" + i);
            counts.merge(variant, 1L, (a, b) -> (Long) a + (Long) b);
        }
        assertEquals(expected, counts);
    }

    @TestFactory
    Stream<DynamicTest> sticky() {
        return Vectors.tests("sticky", AssignVectorsTest::checkVersions);
    }

    private static void checkVersions(Map<String, Object> vector) {
        List<Map<String, Object>> versions = Vectors.objects(vector.get("versions"));
        for (int i = 0; i < versions.size(); i++) {
            Map<String, Object> served = new LinkedHashMap<>(Vectors.object(vector.get("experiment")));
            served.putAll(versions.get(i));
            served.put("name", "sticky");
            served.put("status", "running");
            // As the service writes it and the client reads it.
            Map<String, Object> config = Map.of("config_version", i + 1, "experiments", List.of(served));
            try (AssayClient client = Clients.with(Json.parse(Json.write(config)))) {
                for (Map<String, Object> user : Vectors.objects(vector.get("users"))) {
                    assertEquals(
                            Vectors.list(user.get("variants")).get(i),
                            client.assign("sticky", (String) user.get("user_id")),
                            "version " + (i + 1) + ", " + user.get("user_id"));
                }
            }
        }
    }
}
