package dev.assay.internal.modelcall;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The events of a vector, some of whose values are matchers. */
public final class ExpectedEvents {
    private static final Object ANY_TEXT = Map.of("$", "any_text");
    private static final Object ANY_MS = Map.of("$", "any_ms");

    private ExpectedEvents() {}

    /** Replaces each matching value with its matcher, then compares everything. */
    public static void assertEvents(List<Map<String, Object>> expected, List<Map<String, Object>> events) {
        assertEquals(expected.size(), events.size());
        for (int i = 0; i < expected.size(); i++) {
            Map<String, Object> event = new LinkedHashMap<>(events.get(i));
            expected.get(i)
                    .forEach((field, value) -> event.computeIfPresent(field, (name, actual) -> {
                        boolean isMatched = value.equals(ANY_TEXT) && actual instanceof String
                                || value.equals(ANY_MS)
                                        && actual instanceof Number
                                        && ((Number) actual).doubleValue() >= 0;
                        return isMatched ? value : actual;
                    }));
            assertEquals(expected.get(i), event);
        }
    }
}
