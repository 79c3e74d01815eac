package dev.assay.internal.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Copies what a config holds, so that a caller who changes an answer does not change the config.
 */
public final class VariantContent {
    private VariantContent() {}

    /**
     * Lays copies of the variant's variables over what {@code merged} holds: its top-level keys
     * replace those.
     */
    public static void layOver(Map<String, Object> merged, ConfigVariant variant) {
        variant.variables.forEach((name, value) -> merged.put(name, copyOf(value)));
    }

    private static Object copyOf(Object value) {
        if (value instanceof Map) {
            Map<String, Object> copy = new LinkedHashMap<>();
            Fields.of(value).forEach((name, field) -> copy.put(name, copyOf(field)));
            return copy;
        }
        if (value instanceof List) {
            List<Object> copy = new ArrayList<>();
            for (Object item : (List<?>) value) copy.add(copyOf(item));
            return copy;
        }
        return value;
    }
}
