package dev.assay.internal.wire;

/** A fact that a wire format reports about a model call, with its field name in a {@code model_call}. */
enum Fact {
    PROVIDER("provider"),
    REQUESTED_MODEL("requested_model"),
    MODEL("model"),
    INPUT_TOKENS("input_tokens"),
    CACHED_INPUT_TOKENS("cached_input_tokens"),
    OUTPUT_TOKENS("output_tokens"),
    REASONING_TOKENS("reasoning_tokens"),
    FINISH_REASON("finish_reason"),
    ERROR_TYPE("error_type"),
    PROMPT("prompt"),
    RESPONSE("response");

    final String field;
    final boolean isCount;

    Fact(String field) {
        this.field = field;
        this.isCount = field.endsWith("tokens");
    }
}
