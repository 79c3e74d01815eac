package dev.assay.internal.wire;

import static dev.assay.internal.wire.ForeignValue.at;
import static dev.assay.internal.wire.ForeignValue.textAt;

import java.util.Map;

/**
 * A provider's error, sent instead of an answer or within a stream: an {@code error} with a message and a
 * code (OpenAI), a type (OpenAI, Anthropic) or a status (Google), or an event of the type {@code error} with
 * its own fields.
 */
final class ProviderError implements WireFormat {
    private static final String UNNAMED = "Error";

    @Override
    public void read(Object answer, Reading reading) {
        Object error = at(answer, "error");
        boolean isEvent = textAt(answer, "type").equals("error");
        // A failed response of OpenAI still has its model and other facts, so it is read as an answer.
        boolean isAnswer = at(answer, "object") instanceof String;
        Object message = isEvent && error == null ? at(answer, "message") : at(error, "message");
        if (isAnswer || !(message instanceof String)) {
            return;
        }
        // The last one counts.
        reading.learn(Fact.ERROR_TYPE, UNNAMED);
        reading.learn(Fact.ERROR_TYPE, textAt(error, "status"));
        reading.learn(Fact.ERROR_TYPE, textAt(error, "type"));
        reading.learn(Fact.ERROR_TYPE, textAt(answer, "code"));
        reading.learn(Fact.ERROR_TYPE, textAt(error, "code"));
        boolean isGoogle = at(error, "status") instanceof String;
        reading.learnProvider(isGoogle ? "google" : isEvent && error instanceof Map ? "anthropic" : "openai");
    }
}
