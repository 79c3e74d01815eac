package dev.assay.frameworks;

import static dev.assay.frameworks.Getters.numberAt;

import dev.assay.ModelCallFacts;

/** Reads the settings of a request that say how its answer is sampled. */
public final class Sampling {
    private Sampling() {}

    /**
     * Adds the sampling settings.
     *
     * @param facts receives them
     * @param options an object with a getter for each setting that its provider has, or null
     */
    public static void add(ModelCallFacts.Builder facts, Object options) {
        facts.temperature(first(options, "temperature", "getTemperature"))
                .topP(first(options, "topP", "getTopP"))
                .maxTokens(first(
                        options,
                        "maxCompletionTokens",
                        "getMaxCompletionTokens",
                        "maxOutputTokens",
                        "getMaxOutputTokens",
                        "getMaxTokens"))
                .seed(first(options, "seed", "getSeed"));
    }

    private static Number first(Object options, String... getters) {
        for (String getter : getters) {
            Number value = numberAt(options, getter);
            if (value != null) return value;
        }
        return null;
    }
}
