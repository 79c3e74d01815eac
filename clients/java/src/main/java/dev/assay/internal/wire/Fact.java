package dev.assay.internal.wire;

import dev.assay.ModelCallFacts;
import java.util.function.BiConsumer;

/** What a wire format tells of a model call. */
enum Fact {
    PROVIDER(false, (facts, value) -> facts.provider((String) value)),
    REQUESTED_MODEL(false, (facts, value) -> facts.requestedModel((String) value)),
    MODEL(false, (facts, value) -> facts.model((String) value)),
    INPUT_TOKENS(true, (facts, value) -> facts.inputTokens((Number) value)),
    CACHED_INPUT_TOKENS(true, (facts, value) -> facts.cachedInputTokens((Number) value)),
    OUTPUT_TOKENS(true, (facts, value) -> facts.outputTokens((Number) value)),
    REASONING_TOKENS(true, (facts, value) -> facts.reasoningTokens((Number) value)),
    FINISH_REASON(false, (facts, value) -> facts.finishReason((String) value)),
    ERROR_TYPE(false, (facts, value) -> facts.errorType((String) value)),
    PROMPT(false, (facts, value) -> facts.prompt((String) value)),
    RESPONSE(false, (facts, value) -> facts.response((String) value));

    final boolean isCount;
    final BiConsumer<ModelCallFacts.Builder, Object> setter;

    Fact(boolean isCount, BiConsumer<ModelCallFacts.Builder, Object> setter) {
        this.isCount = isCount;
        this.setter = setter;
    }
}
