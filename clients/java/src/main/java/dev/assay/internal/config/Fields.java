package dev.assay.internal.config;

import java.util.Map;

/** The unchecked fields of JSON values. */
public final class Fields {
    private Fields() {}

    /** Returns the fields of an object that {@code Json.parse} returned; anything else has none. */
    @SuppressWarnings("unchecked")
    public static Map<String, Object> of(Object value) {
        return value instanceof Map ? (Map<String, Object>) value : Map.of();
    }

    /** Returns whether a parsed number is an integer; 1.0 is one. */
    public static boolean isInteger(Object value) {
        if (value instanceof Long) return true;
        return value instanceof Double && (Double) value == Math.rint((Double) value);
    }
}
