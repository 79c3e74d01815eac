package dev.assay.frameworks;

import static dev.assay.frameworks.Getters.numberAt;

import dev.assay.ModelCallFacts;

/** Reads a framework's token counts. */
public final class Usage {
    private Usage() {}

    /**
     * Adds the counts of a usage in Anthropic's or OpenAI's terms. Anthropic does not include cache reads and writes
     * in the input count; OpenAI does.
     *
     * @param facts receives the counts
     * @param input the framework's input tokens, or null
     * @param output the output tokens, or null
     * @param details an object of the provider's module, or null
     */
    public static void add(ModelCallFacts.Builder facts, Number input, Number output, Object details) {
        Number read = numberAt(details, "cacheReadInputTokens");
        Number written = numberAt(details, "cacheCreationInputTokens");
        Number cached = first(read, numberAt(details, "inputTokensDetails", "cachedTokens"));
        Number within = numberAt(details, "promptTokensDetails", "cachedTokens");
        Number reasoning = first(
                numberAt(details, "outputTokensDetails", "reasoningTokens"),
                numberAt(details, "completionTokensDetails", "reasoningTokens"));
        facts.inputTokens(input == null ? null : input.longValue() + orZero(read) + orZero(written))
                .outputTokens(output)
                .cachedInputTokens(first(cached, within))
                .cacheWrite5mTokens(written)
                .reasoningTokens(reasoning);
    }

    private static long orZero(Number count) {
        return count == null ? 0 : count.longValue();
    }

    private static Number first(Number one, Number other) {
        return one == null ? other : one;
    }
}
