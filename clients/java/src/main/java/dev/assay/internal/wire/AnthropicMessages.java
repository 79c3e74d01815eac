package dev.assay.internal.wire;

import static dev.assay.internal.wire.ForeignValue.at;
import static dev.assay.internal.wire.ForeignValue.isSomething;
import static dev.assay.internal.wire.ForeignValue.textAt;

/** Messages of Anthropic, those of Bedrock and Vertex alike. */
final class AnthropicMessages implements WireFormat {
    /**
     * Of a whole message and of the events of a stream. The output is hardly begun at a stream's start: what
     * is told of it there is not what it cost.
     */
    private static final FactFields FACTS = withInput(withInput(new FactFields(), "message.usage"), "usage")
            .with("model", Fact.MODEL)
            .with("message.model", Fact.MODEL)
            .with("usage.output_tokens", Fact.OUTPUT_TOKENS)
            .with("usage.output_tokens_details.thinking_tokens", Fact.REASONING_TOKENS)
            .with("stop_reason", Fact.FINISH_REASON)
            .with("delta.stop_reason", Fact.FINISH_REASON);

    /** Each counted apart by the provider. */
    private static FactFields withInput(FactFields fields, String usage) {
        return fields.with(usage + ".input_tokens", Fact.INPUT_TOKENS)
                .with(usage + ".cache_creation_input_tokens", Fact.INPUT_TOKENS)
                .with(usage + ".cache_read_input_tokens", Fact.INPUT_TOKENS, Fact.CACHED_INPUT_TOKENS);
    }

    /** Reads a message or an event. A text is added as it comes, any other block when it is whole. */
    @Override
    public void read(Object answer, Reading reading) {
        String type = textAt(answer, "type");
        if (!type.startsWith("message") && !type.startsWith("content_block")) {
            return;
        }
        reading.learnProvider("anthropic");
        FACTS.learn(answer, reading);
        Object content = at(answer, "content");
        reading.addContent(isSomething(content) ? content : textAt(answer, "delta", "text"));
        if (type.endsWith("_start") || type.endsWith("_stop")) {
            reading.beginPart(at(answer, "content_block"));
        }
        reading.addArguments(textAt(answer, "delta", "partial_json"));
    }
}
