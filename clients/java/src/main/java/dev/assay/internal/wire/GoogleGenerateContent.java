package dev.assay.internal.wire;

import static dev.assay.internal.wire.ForeignValue.at;

/**
 * Gemini's {@code generateContent}, also on Vertex. If there are several candidates, text and finish reason
 * are the first one's; the usage covers all.
 */
final class GoogleGenerateContent implements WireFormat {
    private static final String[] SIGNS = {"candidates", "promptFeedback", "usageMetadata", "modelVersion"};
    private static final FactFields FACTS = new FactFields()
            .with("modelVersion", Fact.MODEL)
            .with("usageMetadata.promptTokenCount", Fact.INPUT_TOKENS)
            .with("usageMetadata.toolUsePromptTokenCount", Fact.INPUT_TOKENS)
            .with("usageMetadata.cachedContentTokenCount", Fact.CACHED_INPUT_TOKENS)
            .with("usageMetadata.candidatesTokenCount", Fact.OUTPUT_TOKENS)
            .with("usageMetadata.thoughtsTokenCount", Fact.OUTPUT_TOKENS, Fact.REASONING_TOKENS)
            .with("candidates.0.finishReason", Fact.FINISH_REASON)
            // A blocked prompt has no candidates.
            .with("promptFeedback.blockReason", Fact.FINISH_REASON);

    /** A chunk is a response too; its counts are cumulative. */
    @Override
    public void read(Object response, Reading reading) {
        for (String sign : SIGNS) {
            if (at(response, sign) != null) {
                reading.learnProvider("google");
            }
        }
        FACTS.learn(response, reading);
        reading.addContent(at(response, "candidates", "0", "content", "parts"));
    }
}
