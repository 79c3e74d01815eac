package dev.assay.internal.config;

import java.util.Map;

/** The fields of JSON values, none of them checked. */
public final class Fields {
    private Fields() {}

    /** Returns an object that {@code Json.parse} made as its fields; anything else has none. */
    @SuppressWarnings("unchecked")
    public static Map<String, Object> of(Object value) {
        return value instanceof Map ? (Map<String, Object>) value : Map.of();
    }

    /** Tells whether a parsed number is an integer, 1.0 too. */
    public static boolean isInteger(Object value) {
        if (value instanceof Long) return true;
        return value instanceof Double && (Double) value == Math.rint((Double) value);
    }
}
