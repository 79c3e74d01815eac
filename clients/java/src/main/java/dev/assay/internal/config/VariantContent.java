package dev.assay.internal.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/** A variant's variables over the caller's defaults. */
public final class VariantContent {
    /** Null for control behavior. */
    public final String variant;

    /** Owned by the caller. */
    public final Map<String, Object> variables;

    /** The names of the defaults that were not overwritten, in their order. */
    public final List<String> fallback;

    private VariantContent(String variant, Map<String, Object> variables, List<String> fallback) {
        this.variant = variant;
        this.variables = variables;
        this.fallback = fallback;
    }

    /**
     * Overwrites {@code merged}, which has the defaults, with copies of the variant's variables, by top-level
     * keys. A variable of another kind than its default is left out, so that the caller gets the types it
     * asked for.
     *
     * @param merged the defaults; changed
     * @param variant the user's; null for control behavior
     * @param onOtherKind takes the name of a variable that is left out, and both kinds
     * @return the content
     */
    public static VariantContent over(
            Map<String, Object> merged, ConfigVariant variant, BiConsumer<String, String> onOtherKind) {
        Map<String, Object> values = variant == null ? Map.of() : variant.variables;
        List<String> fallback = new ArrayList<>();
        merged.forEach((name, standard) -> {
            if (name == null || !values.containsKey(name)) {
                fallback.add(name);
                return;
            }
            String kind = kindOf(values.get(name));
            String defaultKind = kindOf(standard);
            if (defaultKind.equals(kind) || standard == null) return;
            onOtherKind.accept(name, kind + ", its default of kind " + defaultKind);
            fallback.add(name);
        });
        values.forEach((name, value) -> {
            if (!fallback.contains(name)) merged.put(name, copyOf(value));
        });
        return new VariantContent(variant == null ? null : variant.key, merged, fallback);
    }

    /** The name of a value's JSON type. A value that JSON cannot express has a type that no variable has. */
    private static String kindOf(Object value) {
        if (value == null) return "null";
        if (value instanceof CharSequence) return "text";
        if (value instanceof Number) return "number";
        if (value instanceof Boolean) return "boolean";
        if (value instanceof List) return "list";
        return value instanceof Map ? "object" : value.getClass().getSimpleName();
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
