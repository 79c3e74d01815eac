package dev.assay.internal.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Copies values of a config, so that a caller cannot change the config.
 */
public final class VariantContent {
    private VariantContent() {}

    /**
     * Overwrites {@code merged} with copies of the variant's variables, by top-level keys.
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
