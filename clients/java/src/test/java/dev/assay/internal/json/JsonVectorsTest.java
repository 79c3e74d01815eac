package dev.assay.internal.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.assay.support.Vectors;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class JsonVectorsTest {
    @TestFactory
    Stream<DynamicTest> json() {
        return Vectors.tests("json", JsonVectorsTest::check);
    }

    private static void check(Map<String, Object> vector) {
        String text = textOf(vector);
        if (vector.get("valid") == Boolean.FALSE) {
            assertThrows(JsonException.class, () -> Json.parse(text));
            return;
        }
        Object value = Json.parse(text);
        if (!vector.containsKey("value")) {
            assertEquals(text, Json.write(value));
            return;
        }
        assertEquals(comparable(vector.get("value")), canonical(value));
        assertEquals(canonical(value), canonical(Json.parse(Json.write(value))));
    }

    private static String textOf(Map<String, Object> vector) {
        if (vector.containsKey("utf16")) return Vectors.ofUnits(vector.get("utf16"));
        if (vector.containsKey("text")) return (String) vector.get("text");
        return Vectors.objects(vector.get("repeat")).stream()
                .map(part -> ((String) part.get("text")).repeat((int) Vectors.integer(part.get("times"))))
                .collect(Collectors.joining());
    }

    /** Converts the numbers of an expected value so that they compare by value. */
    private static Object comparable(Object expected) {
        if (expected instanceof List) {
            List<Object> items = new ArrayList<>();
            for (Object item : (List<?>) expected) items.add(comparable(item));
            return items;
        }
        if (!(expected instanceof Map)) return expected;
        Map<String, Object> fields = new LinkedHashMap<>(Vectors.object(expected));
        Object bits = fields.get("number");
        if (bits instanceof String) {
            return number(Double.longBitsToDouble(Long.parseUnsignedLong((String) bits, 16)));
        }
        fields.replaceAll((name, field) -> comparable(field));
        return fields;
    }

    /** 0 equals -0. */
    private static Object number(double value) {
        return Map.of("number", value == 0 ? 0.0 : value);
    }

    /** Writes a parsed value in the format of the vectors. */
    private static Object canonical(Object value) {
        if (value instanceof String) return Map.of("text", units((String) value));
        if (value instanceof Number) return number(((Number) value).doubleValue());
        if (value instanceof List) {
            List<Object> items = new ArrayList<>();
            for (Object item : (List<?>) value) items.add(canonical(item));
            return Map.of("list", items);
        }
        if (!(value instanceof Map)) return value;
        Map<String, Object> fields = Vectors.object(value);
        List<String> names = new ArrayList<>(fields.keySet());
        Collections.sort(names);
        List<Object> listed = new ArrayList<>();
        for (String name : names) {
            Map<String, Object> field = new LinkedHashMap<>();
            field.put("name", units(name));
            field.put("value", canonical(fields.get(name)));
            listed.add(field);
        }
        return Map.of("fields", listed);
    }

    private static List<Object> units(String text) {
        return text.chars().mapToObj(unit -> (Object) (long) unit).collect(Collectors.toList());
    }
}
