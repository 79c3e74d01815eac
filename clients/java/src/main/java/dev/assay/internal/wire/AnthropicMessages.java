package dev.assay.internal.wire;

import static dev.assay.internal.wire.ForeignValue.at;
import static dev.assay.internal.wire.ForeignValue.isSomething;
import static dev.assay.internal.wire.ForeignValue.textAt;

/** Anthropic's Messages API, also on Bedrock and Vertex. */
final class AnthropicMessages implements WireFormat {
    /**
     * For whole messages and for stream events. At the start of a stream, the output count is not final.
     */
    private static final FactFields FACTS = withInput(withInput(new FactFields(), "message.usage"), "usage")
            .with("model", Fact.MODEL)
            .with("message.model", Fact.MODEL)
            .with("usage.output_tokens", Fact.OUTPUT_TOKENS)
            .with("usage.output_tokens_details.thinking_tokens", Fact.REASONING_TOKENS)
            .with("stop_reason", Fact.FINISH_REASON)
            .with("delta.stop_reason", Fact.FINISH_REASON);

    /** The provider counts these separately. */
    private static FactFields withInput(FactFields fields, String usage) {
        return fields.with(usage + ".input_tokens", Fact.INPUT_TOKENS)
                .with(usage + ".cache_creation_input_tokens", Fact.INPUT_TOKENS, Fact.CACHE_WRITE_5M_TOKENS)
                // The part that is kept for an hour does not count as kept for 5 minutes.
                .outOf(
                        usage + ".cache_creation.ephemeral_1h_input_tokens",
                        Fact.CACHE_WRITE_1H_TOKENS,
                        Fact.CACHE_WRITE_5M_TOKENS)
                .with(usage + ".cache_read_input_tokens", Fact.INPUT_TOKENS, Fact.CACHED_INPUT_TOKENS)
                .with(usage + ".service_tier", Fact.SERVICE_TIER);
    }

    /** Reads a message or an event. Text is added as it arrives, any other block when it is complete. */
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
        reading.beginPart(0, at(answer, "content_block"));
        reading.addArguments(0, textAt(answer, "delta", "partial_json"));
        if (type.endsWith("_stop")) {
            reading.endParts();
        }
    }
}
