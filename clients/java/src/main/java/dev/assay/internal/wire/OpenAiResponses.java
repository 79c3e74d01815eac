package dev.assay.internal.wire;

import static dev.assay.internal.wire.ForeignValue.at;
import static dev.assay.internal.wire.ForeignValue.textAt;

import java.util.regex.Pattern;

/** The responses API of OpenAI and Azure. */
final class OpenAiResponses implements WireFormat {
    private static final Pattern TEXT_DELTA = Pattern.compile("(output_text|refusal)\\.delta$");
    private static final FactFields RESPONSE = FactFields.ofOpenAi("input_tokens", "output_tokens")
            .with("status", Fact.FINISH_REASON)
            // More specific than the status.
            .with("incomplete_details.reason", Fact.FINISH_REASON)
            // A failed response is still an answer.
            .with("error.code", Fact.ERROR_TYPE);

    @Override
    public void read(Object answer, Reading reading) {
        if (learnResponse(answer, reading)) {
            reading.addContent(at(answer, "output"));
        }
        // In a stream, the first event has the model and the last one the usage.
        learnResponse(at(answer, "response"), reading);
        String type = textAt(answer, "type");
        Object item = at(answer, "item");
        if (TEXT_DELTA.matcher(type).find()) {
            reading.addContent(textAt(answer, "delta"));
        } else if (type.endsWith("output_item.done") && !"message".equals(at(item, "type"))) {
            // The message has already arrived in pieces.
            reading.addContent(item);
        }
    }

    private static boolean learnResponse(Object response, Reading reading) {
        boolean isResponse = "response".equals(at(response, "object"));
        if (isResponse) {
            reading.learnProvider("openai");
            RESPONSE.learn(response, reading);
        }
        return isResponse;
    }
}
