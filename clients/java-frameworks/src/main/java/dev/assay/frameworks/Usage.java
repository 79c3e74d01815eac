package dev.assay.frameworks;

import static dev.assay.frameworks.Getters.numberAt;
import static dev.assay.frameworks.Getters.valueAt;

import dev.assay.ModelCallFacts;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads a framework's token counts. */
public final class Usage {
    /** A name in JSON: in a text of an answer, its quotation marks would be escaped. */
    private static final Pattern THINKING = Pattern.compile("\"thinking_tokens\"\\s*:\\s*(\\d{1,9})");

    private Usage() {}

    /**
     * Adds the counts of a usage in Anthropic's or OpenAI's terms. Anthropic does not include cache reads and writes
     * in the input count; OpenAI does. No prompt has 0 tokens: where a framework says so, the provider did not count.
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
        long whole = orZero(input) + orZero(read) + orZero(written);
        boolean isCounted = input != null && whole > 0;
        facts.inputTokens(isCounted ? whole : null)
                .outputTokens(isCounted || orZero(output) > 0 ? output : null)
                .cachedInputTokens(isCounted ? first(cached, within) : null)
                .cacheWrite5mTokens(isCounted ? written : null)
                .reasoningTokens(reasoning);
    }

    /**
     * Adds Anthropic's thinking tokens, which LangChain4j passes on only in the provider's own answer.
     *
     * @param facts receives the count
     * @param metadata that of a response
     */
    public static void addThinking(ModelCallFacts.Builder facts, Object metadata) {
        if (valueAt(metadata, "rawHttpResponse", "body") instanceof String body) addThinking(facts, body);
        if (valueAt(metadata, "rawServerSentEvents") instanceof List<?> events) {
            for (Object event : events) {
                if (valueAt(event, "data") instanceof String data) addThinking(facts, data);
            }
        }
    }

    private static void addThinking(ModelCallFacts.Builder facts, String json) {
        Matcher count = THINKING.matcher(json);
        if (count.find()) facts.reasoningTokens(Long.valueOf(count.group(1)));
    }

    private static long orZero(Number count) {
        return count == null ? 0 : count.longValue();
    }

    private static Number first(Number one, Number other) {
        return one == null ? other : one;
    }
}
