package dev.assay.internal.wire;

import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** A model call, as far as its request and answer have been read. */
final class Reading {
    private static final int BYTES_PER_TOKEN = 4;
    private static final int MAX_CALLS = 1_000;
    private static final double MAX_COUNT = 9_007_199_254_740_991.0;

    private final Map<Fact, Object> facts = new EnumMap<>(Fact.class);
    /** By fact: the last value of each count in its sum. */
    private final Map<Fact, Map<String, Long>> counts = new EnumMap<>(Fact.class);

    private final TextWriter response = new TextWriter();
    /** A part of the response that is still arriving, with its arguments so far. */
    private static final class Part {
        final Map<Object, Object> fields;
        final StringBuilder arguments;

        Part(Map<?, ?> fields) {
            this.fields = new LinkedHashMap<>(fields);
            this.arguments = new StringBuilder(ForeignValue.textAt(fields, "arguments"));
        }
    }

    /** By their indexes. */
    private final TreeMap<Long, Part> parts = new TreeMap<>();

    /** Sets a fact from a field; an unusable value changes nothing. */
    void learn(Fact fact, String field, Object value) {
        if (fact == Fact.COST_USD) {
            if (value instanceof Number && isAmount(((Number) value).doubleValue())) {
                facts.put(fact, ((Number) value).doubleValue());
            }
        } else if (!fact.isCount) {
            if (value instanceof String && !((String) value).isEmpty()) {
                facts.put(fact, value);
            }
        } else if (value instanceof Number && isCount(((Number) value).doubleValue())) {
            addCount(fact, field, ((Number) value).longValue());
        }
    }

    /** Subtracts a field's count from a sum; an unusable value changes nothing. */
    void reduce(Fact fact, String field, Object value) {
        if (value instanceof Number && isCount(((Number) value).doubleValue())) {
            addCount(fact, field, -((Number) value).longValue());
        }
    }

    /** A later chunk may repeat only some of the counts in the sum. */
    private void addCount(Fact fact, String field, long count) {
        Map<String, Long> own = counts.computeIfAbsent(fact, added -> new HashMap<>());
        own.put(field, count);
        long sum = 0;
        for (long each : own.values()) sum += each;
        facts.put(fact, Math.max(0, sum));
    }

    private static boolean isAmount(double value) {
        return value >= 0 && value < Double.POSITIVE_INFINITY;
    }

    private static boolean isCount(double value) {
        return value >= 0 && value <= MAX_COUNT && value == Math.rint(value);
    }

    /** Sets a fact that has only one source. */
    void learn(Fact fact, String value) {
        learn(fact, "", value);
    }

    /** Sets the provider of the format; the first one recognized counts. */
    void learnProvider(String name) {
        facts.putIfAbsent(Fact.PROVIDER, name);
    }

    /** Adds content to the response, as if all content came in one message. */
    void addContent(Object content) {
        if (ForeignValue.isSomething(content)) {
            response.write(content);
        }
    }

    /** Starts the next part with this index. Several parts may arrive at the same time. */
    void beginPart(Object index, Object next) {
        if (!(next instanceof Map) || parts.size() >= MAX_CALLS) return;
        addPart(parts.put(numberOf(index), new Part((Map<?, ?>) next)));
    }

    /** Adds to the arguments of an arriving part. Some providers send empty arguments before the first ones. */
    void addArguments(Object index, String more) {
        Part part = parts.get(numberOf(index));
        if (part != null) CallText.appendBounded(part.arguments, more);
    }

    /** Adds the parts, which are complete, to the response. */
    void endParts() {
        parts.values().forEach(this::addPart);
        parts.clear();
    }

    private void addPart(Part part) {
        if (part == null) return;
        if (part.arguments.length() > 0) part.fields.put("arguments", part.arguments.toString());
        addContent(part.fields);
    }

    private static Long numberOf(Object index) {
        return index instanceof Number ? ((Number) index).longValue() : 0;
    }

    /** Returns whether there is any text of the response yet. */
    boolean hasResponse() {
        return !response.isEmpty();
    }

    /** Returns whether the answer says that it has not ended. */
    boolean isWaiting() {
        Object status = facts.get(Fact.FINISH_REASON);
        return "queued".equals(status) || "in_progress".equals(status);
    }

    /** Returns whether no part of the answer says how it ended. */
    boolean isCut() {
        return isWaiting() || !facts.containsKey(Fact.FINISH_REASON);
    }

    /** Estimates what a stream that was cut short did not count; returns whether there was anything to estimate. */
    boolean estimateUsage() {
        Long output = facts.containsKey(Fact.OUTPUT_TOKENS) ? null : estimateTokens(response.toString());
        if (output == null) return false;
        facts.put(Fact.OUTPUT_TOKENS, output);
        Long input = estimateTokens((String) facts.get(Fact.PROMPT));
        if (input != null) facts.putIfAbsent(Fact.INPUT_TOKENS, input);
        return true;
    }

    /** One token for every 4 bytes; null without a text, and for one that was cut at its limit. */
    private static Long estimateTokens(String text) {
        long bytes = text == null ? 0 : text.getBytes(StandardCharsets.UTF_8).length;
        return bytes == 0 || bytes > CallText.MAX_TEXT_BYTES ? null : (bytes + BYTES_PER_TOKEN - 1) / BYTES_PER_TOKEN;
    }

    /** Returns what is known so far, by field. */
    Map<String, Object> toFields() {
        learn(Fact.RESPONSE, response.toString());
        Map<String, Object> fields = new LinkedHashMap<>();
        facts.forEach((fact, value) -> {
            // A sum of counts may be too large.
            if (!fact.isCount || isCount((Long) value)) {
                fields.put(fact.field, value);
            }
        });
        return fields;
    }
}
