package dev.assay.internal.wire;

import java.util.ArrayList;
import java.util.List;

/**
 * The fields of an answer that contain facts. A count is the sum of all its fields. Fields are identified by
 * name alone: a field that moves in a later chunk is the same field. A field may belong to two counts, or reduce
 * the second.
 */
final class FactFields {
    private final List<Field> fields = new ArrayList<>();

    private static final class Field {
        final String[] path;
        final Fact[] facts;
        /** The count that it reduces, or null. */
        final Fact reduced;

        Field(String path, Fact[] facts, Fact reduced) {
            this.path = path.split("\\.");
            this.facts = facts;
            this.reduced = reduced;
        }
    }

    /**
     * Adds a field by its path, separated by dots. If two fields give the same text fact, the later one counts.
     */
    FactFields with(String path, Fact... facts) {
        fields.add(new Field(path, facts, null));
        return this;
    }

    /** Adds a field whose count another fact includes; it is subtracted there. */
    FactFields outOf(String path, Fact fact, Fact reduced) {
        fields.add(new Field(path, new Fact[] {fact}, reduced));
        return this;
    }

    /**
     * The fields with facts in OpenAI's answers. Only the names of the counts differ between its APIs.
     */
    static FactFields ofOpenAi(String input, String output) {
        return new FactFields()
                .with("model", Fact.MODEL)
                .with("service_tier", Fact.SERVICE_TIER)
                .with("usage." + input, Fact.INPUT_TOKENS)
                .with("usage." + input + "_details.cached_tokens", Fact.CACHED_INPUT_TOKENS)
                // Reported by OpenRouter.
                .with("usage." + input + "_details.cache_write_tokens", Fact.CACHE_WRITE_5M_TOKENS)
                .with("usage." + input + "_details.audio_tokens", Fact.AUDIO_INPUT_TOKENS)
                .with("usage." + output, Fact.OUTPUT_TOKENS)
                .with("usage." + output + "_details.reasoning_tokens", Fact.REASONING_TOKENS)
                .with("usage." + output + "_details.audio_tokens", Fact.AUDIO_OUTPUT_TOKENS);
    }

    /**
     * Reads the facts of an answer or a chunk. The last value of a field counts; a missing field changes
     * nothing.
     */
    void learn(Object answer, Reading reading) {
        for (Field field : fields) {
            Object value = ForeignValue.at(answer, field.path);
            String name = field.path[field.path.length - 1];
            for (Fact fact : field.facts) {
                reading.learn(fact, name, value);
            }
            if (field.reduced != null) {
                reading.reduce(field.reduced, name, value);
            }
        }
    }
}
