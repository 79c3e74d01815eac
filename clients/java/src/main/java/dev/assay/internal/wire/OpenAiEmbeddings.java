package dev.assay.internal.wire;

import static dev.assay.internal.wire.ForeignValue.at;

/** Embeddings of OpenAI, Azure and compatible APIs. An embedding has no text and no output tokens. */
final class OpenAiEmbeddings implements WireFormat {
    private static final FactFields ANSWER = FactFields.ofOpenAi("prompt_tokens", "completion_tokens");

    @Override
    public void read(Object answer, Reading reading) {
        if (!"embedding".equals(at(answer, "data", "0", "object"))) {
            return;
        }
        reading.learnProvider("openai");
        reading.learn(Fact.OUTPUT_TOKENS, "", 0);
        ANSWER.learn(answer, reading);
    }
}
