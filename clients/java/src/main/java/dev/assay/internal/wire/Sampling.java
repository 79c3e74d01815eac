package dev.assay.internal.wire;

import static dev.assay.internal.wire.ForeignValue.at;
import static dev.assay.internal.wire.ForeignValue.firstOf;

import java.util.LinkedHashMap;
import java.util.Map;

/** The settings of a request that say how its answer is sampled. */
public final class Sampling {
    private static final double FIRST_INEXACT_INTEGER = 9_007_199_254_740_992.0;

    /** Each setting in an event's metadata, and its names in the requests of all providers. */
    private static final Map<String, String[]> SETTINGS = Map.of(
            "temperature", new String[] {"temperature"},
            "top_p", new String[] {"top_p", "topP"},
            "max_tokens", new String[] {"max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens"},
            "seed", new String[] {"seed"});

    private Sampling() {}

    /** Returns the sampling settings that a request has, by their names in an event's metadata. */
    static Map<String, Object> of(Object request) {
        Map<String, Object> settings = new LinkedHashMap<>();
        SETTINGS.forEach((setting, names) -> {
            for (String name : names) {
                // Google has its own places for them.
                Object value =
                        firstOf(at(request, name), at(request, "config", name), at(request, "generationConfig", name));
                Number number = finite(value);
                if (number != null) settings.put(setting, number);
            }
        });
        return settings;
    }

    /** Returns a number as the library's own types hold it, and null for anything else. */
    public static Number finite(Object value) {
        if (!(value instanceof Number)) return null;
        double number = ((Number) value).doubleValue();
        if (Double.isNaN(number) || Double.isInfinite(number)) return null;
        boolean isInteger = number == Math.rint(number) && Math.abs(number) < FIRST_INEXACT_INTEGER;
        return isInteger ? (Number) (long) number : (Number) number;
    }
}
