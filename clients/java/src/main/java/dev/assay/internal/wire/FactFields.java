package dev.assay.internal.wire;

import java.util.ArrayList;
import java.util.List;

/**
 * The fields of an answer that hold facts. A count is the sum of all its fields. Fields are identified by
 * name alone: one that moves in a later chunk is the same field. A field may belong to two counts.
 */
final class FactFields {
    private final List<Field> fields = new ArrayList<>();

    private static final class Field {
        final String[] path;
        final Fact[] facts;

        Field(String[] path, Fact[] facts) {
            this.path = path;
            this.facts = facts;
        }
    }

    /**
     * Adds a field by its path, separated by dots. If two fields hold the same text, the later one counts.
     */
    FactFields with(String path, Fact... facts) {
        fields.add(new Field(path.split("\\."), facts));
        return this;
    }

    /**
     * The fields with facts in OpenAI's answers. Only the names of the counts differ between its APIs.
     */
    static FactFields ofOpenAi(String input, String output) {
        return new FactFields()
                .with("model", Fact.MODEL)
                .with("usage." + input, Fact.INPUT_TOKENS)
                .with("usage." + input + "_details.cached_tokens", Fact.CACHED_INPUT_TOKENS)
                .with("usage." + output, Fact.OUTPUT_TOKENS)
                .with("usage." + output + "_details.reasoning_tokens", Fact.REASONING_TOKENS);
    }

    /**
     * Takes the facts of an answer or a chunk. The last value of a field counts; a missing field changes
     * nothing.
     */
    void learn(Object answer, Reading reading) {
        for (Field field : fields) {
            Object value = ForeignValue.at(answer, field.path);
            for (Fact fact : field.facts) {
                reading.learn(fact, field.path[field.path.length - 1], value);
            }
        }
    }
}
