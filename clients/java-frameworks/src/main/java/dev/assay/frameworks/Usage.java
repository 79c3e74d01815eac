package dev.assay.frameworks;

import dev.assay.ModelCallFacts;
import java.util.Optional;

/**
 * Reads a framework's token counts. Counts other than input and output are in classes of each provider's module,
 * which an application may lack, so they are read by the names of their methods.
 */
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
        Number read = at(details, "cacheReadInputTokens");
        Number written = at(details, "cacheCreationInputTokens");
        Number cached = first(read, at(details, "inputTokensDetails", "cachedTokens"));
        Number within = at(details, "promptTokensDetails", "cachedTokens");
        Number reasoning = first(
                at(details, "outputTokensDetails", "reasoningTokens"),
                at(details, "completionTokensDetails", "reasoningTokens"));
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

    /** Calls methods without arguments in turn; null when one is missing or returns null. */
    private static Number at(Object value, String... methods) {
        Object found = value;
        try {
            for (String method : methods) {
                if (found == null) return null;
                found = found.getClass().getMethod(method).invoke(found);
                if (found instanceof Optional<?> optional) found = optional.orElse(null);
            }
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null;
        }
        return found instanceof Number number ? number : null;
    }
}
