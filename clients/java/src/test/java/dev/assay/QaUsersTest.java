package dev.assay;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.assay.internal.bucketing.Murmur3;
import dev.assay.internal.json.Json;
import dev.assay.support.Vectors;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Users who get the variant for which the experiment lists them. */
class QaUsersTest {
    private static final Map<String, Object> VECTORS = Vectors.read("qa-users");

    @TestFactory
    Stream<DynamicTest> digests() {
        return Vectors.objects(VECTORS.get("digests")).stream()
                .map(vector -> DynamicTest.dynamicTest("qa-users.json: " + vector.get("digest"), () -> {
                    String user = vector.containsKey("user_id")
                            ? (String) vector.get("user_id")
                            : Vectors.ofUnits(vector.get("user_utf16"));
                    String prefix = vector.get("salt") + ":" + vector.get("experiment_id") + ":";
                    String digest = String.format(
                            "%08x%08x", new Murmur3(prefix, 1).hash(user), new Murmur3(prefix, 2).hash(user));
                    assertEquals(vector.get("digest"), digest);
                }));
    }

    @TestFactory
    Stream<DynamicTest> qaUsers() {
        return Vectors.tests("qa-users", QaUsersTest::check);
    }

    private static void check(Map<String, Object> vector) {
        AssayClientBuilder builder = new AssayClientBuilder(name -> null)
                .offline(true)
                .recorded(new ArrayList<>())
                .bootstrap(Json.write(VECTORS.get("config")));
        Vectors.object(vector.get("overrides")).forEach((name, key) -> builder.override(name, (String) key));
        try (AssayClient client = builder.build()) {
            String experiment = (String) vector.get("experiment");
            String user = (String) vector.get("user_id");
            Object variant = vector.get("variant");
            assertEquals(variant, client.assign(experiment, user));
            PromptChoice choice = client.getPrompt(experiment, user, "");
            assertEquals(variant, choice.variant());
            assertEquals(
                    variant == null ? "" : ((String) variant).substring(0, 1).toUpperCase(), choice.prompt());
            List<Map<String, Object>> events = client.trackedEvents();
            assertEquals(variant == null ? 0 : 1, events.size());
            for (Map<String, Object> event : events) assertEquals(variant, event.get("variant"));
        }
    }
}
