package dev.assay.internal.wire;

import java.util.ArrayList;
import java.util.List;

/**
 * The fields of an answer that tell facts. A count is the sum of all fields that tell it, told apart by their
 * names alone: a field that comes elsewhere in a later chunk is the same one. A field may go into two of
 * them.
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

    /** Adds a field by its path, dots in between. Of two fields for the same text the later one holds. */
    FactFields with(String path, Fact... facts) {
        fields.add(new Field(path.split("\\."), facts));
        return this;
    }

    /**
     * What tells the facts in an answer of OpenAI: the same in all its APIs but for the names of the counts.
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
     * Takes what an answer or a chunk of one tells. The last value of a field holds; an absent one changes
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
