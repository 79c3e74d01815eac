package dev.assay.internal.wire;

import static dev.assay.internal.wire.ForeignValue.at;
import static dev.assay.internal.wire.ForeignValue.textAt;

import java.util.Map;

/**
 * What the providers answer, or send into a stream, instead of an answer: an {@code error} with a message and
 * a code (OpenAI), a type (OpenAI, Anthropic) or a status (Google), or an event of the type {@code error}
 * with its own.
 */
final class ProviderError implements WireFormat {
    private static final String UNNAMED = "Error";

    @Override
    public void read(Object answer, Reading reading) {
        Object error = at(answer, "error");
        boolean isEvent = textAt(answer, "type").equals("error");
        // A failed response of OpenAI's tells its model and more besides: it is an answer.
        boolean isAnswer = at(answer, "object") instanceof String;
        Object message = isEvent && error == null ? at(answer, "message") : at(error, "message");
        if (isAnswer || !(message instanceof String)) {
            return;
        }
        // The last one that is told holds.
        reading.learn(Fact.ERROR_TYPE, UNNAMED);
        reading.learn(Fact.ERROR_TYPE, textAt(error, "status"));
        reading.learn(Fact.ERROR_TYPE, textAt(error, "type"));
        reading.learn(Fact.ERROR_TYPE, textAt(answer, "code"));
        reading.learn(Fact.ERROR_TYPE, textAt(error, "code"));
        boolean isGoogle = at(error, "status") instanceof String;
        reading.learnProvider(isGoogle ? "google" : isEvent && error instanceof Map ? "anthropic" : "openai");
    }
}
