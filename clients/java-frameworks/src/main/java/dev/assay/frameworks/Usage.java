package dev.assay.frameworks;

import dev.assay.ModelCallFacts;
import java.util.Optional;

/**
 * Reads the token counts of a framework. What goes beyond input and output is in classes of each provider's module,
 * which an application need not have: it is read by the names of their methods.
 */
public final class Usage {
    private Usage() {}

    /**
     * Adds the counts of a usage in Anthropic's or OpenAI's terms. Anthropic counts what it read from its cache, and
     * wrote to it, apart from the input; OpenAI within.
     *
     * @param facts takes the counts
     * @param input the input tokens as the framework has them, or null
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

    /** Follows methods without arguments; null where one is missing or has nothing. */
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
