package dev.assay.internal.wire;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** A model call, as far as its request and answer have been read. */
final class Reading {
    private static final double MAX_COUNT = 9_007_199_254_740_991.0;

    private final Map<Fact, Object> facts = new EnumMap<>(Fact.class);
    /** The last value of each count in a sum. */
    private final Map<String, Long> counts = new HashMap<>();

    private final TextWriter response = new TextWriter();
    /** The part of the response that is still arriving, with its arguments so far; or null. */
    private Map<Object, Object> part;

    private StringBuilder arguments;

    /** Sets a fact from a field; an unusable value changes nothing. */
    void learn(Fact fact, String field, Object value) {
        if (!fact.isCount) {
            if (value instanceof String && !((String) value).isEmpty()) {
                facts.put(fact, value);
            }
        } else if (value instanceof Number && isCount(((Number) value).doubleValue())) {
            long count = ((Number) value).longValue();
            // A later chunk may repeat only some of the counts in the sum.
            Long before = counts.put(fact + field, count);
            Long sum = (Long) facts.get(fact);
            facts.put(fact, (sum == null ? 0 : sum) - (before == null ? 0 : before) + count);
        }
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

    /** Adds the completed part to the response and starts the next one, if any. */
    void beginPart(Object next) {
        if (part != null) {
            if (arguments != null) {
                part.put("arguments", arguments.toString());
            }
            addContent(part);
        }
        part = next instanceof Map ? new LinkedHashMap<>((Map<?, ?>) next) : null;
        arguments = null;
    }

    /**
     * Adds to the arguments of the arriving part. Some providers send empty arguments before the first ones.
     */
    void addArguments(String more) {
        if (part == null || more.isEmpty()) {
            return;
        }
        arguments = arguments == null ? new StringBuilder(ForeignValue.textAt(part, "arguments")) : arguments;
        CallText.appendBounded(arguments, more);
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
