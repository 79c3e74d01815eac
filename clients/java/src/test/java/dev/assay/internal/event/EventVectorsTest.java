package dev.assay.internal.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.assay.internal.json.Json;
import dev.assay.support.Vectors;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class EventVectorsTest {
    private final Map<String, Object> vectors = Vectors.read("event");

    @TestFactory
    Stream<DynamicTest> event() {
        return Vectors.tests("event", this::check);
    }

    private void check(Map<String, Object> vector) {
        String type = (String) vector.get("type");
        Object payload = unmarked(vector.get("payload"));
        // In Java, only a map compiles as an argument of track, or null.
        Map<String, Object> fields = payload instanceof Map ? Vectors.object(payload) : null;
        if (vector.get("row") == null) {
            String reason = assertThrows(UnsendableEventException.class, () -> rowOf(type, fields))
                    .getMessage();
            assertFalse(reason.contains("greeting") || reason.contains("{"), reason);
            return;
        }
        KeptEvent event = rowOf(type, fields);
        Map<String, Object> row = Vectors.object(Json.parse(new String(event.row, StandardCharsets.UTF_8)));
        assertEquals(comparable(unmarked(vector.get("row"))), comparable(row));
        assertEquals(row.get("event_id"), event.eventId);
        assertEquals(Instant.parse((String) row.get("timestamp")).toEpochMilli(), event.occurredAt);
    }

    private KeptEvent rowOf(String type, Map<String, Object> payload) {
        return EventRow.of(
                type, payload, () -> Vectors.integer(vectors.get("now")), () -> (String) vectors.get("new_id"));
    }

    /** Numbers are compared by value. */
    private static Object comparable(Object value) {
        if (value instanceof Number) return ((Number) value).doubleValue();
        if (value instanceof List) {
            List<Object> items = new ArrayList<>();
            for (Object item : (List<?>) value) items.add(comparable(item));
            return items;
        }
        if (!(value instanceof Map)) return value;
        Map<String, Object> fields = new LinkedHashMap<>(Vectors.object(value));
        fields.replaceAll((name, field) -> comparable(field));
        return fields;
    }

    private static Object unmarked(Object value) {
        if (value instanceof List) {
            List<Object> items = new ArrayList<>();
            for (Object item : (List<?>) value) items.add(unmarked(item));
            return items;
        }
        if (!(value instanceof Map)) return value;
        Map<String, Object> fields = new LinkedHashMap<>(Vectors.object(value));
        if (fields.containsKey("$")) return meant(fields);
        fields.replaceAll((name, field) -> unmarked(field));
        return fields;
    }

    private static Object meant(Map<String, Object> marker) {
        switch ((String) marker.get("$")) {
            case "nan":
                return Double.NaN;
            case "infinity":
                return Double.POSITIVE_INFINITY;
            case "-infinity":
                return Double.NEGATIVE_INFINITY;
            case "cycle":
                Map<String, Object> cycle = new LinkedHashMap<>();
                cycle.put("self", cycle);
                return cycle;
            case "unserialisable":
                return new Object();
            case "instant":
                return Instant.ofEpochMilli(Vectors.integer(marker.get("epoch_ms")));
            case "utf16":
                return Vectors.ofUnits(marker.get("units"));
            case "repeat":
                return ((String) marker.get("text")).repeat((int) Vectors.integer(marker.get("times")));
            default:
                throw new IllegalArgumentException("an unknown marker: " + marker);
        }
    }
}
