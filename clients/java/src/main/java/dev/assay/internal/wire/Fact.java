package dev.assay.internal.wire;

/** A fact that a wire format reports about a model call, with its field name in a {@code model_call}. */
enum Fact {
    PROVIDER("provider"),
    REQUESTED_MODEL("requested_model"),
    MODEL("model"),
    SERVICE_TIER("service_tier"),
    INPUT_TOKENS("input_tokens"),
    CACHED_INPUT_TOKENS("cached_input_tokens"),
    CACHE_WRITE_5M_TOKENS("cache_write_5m_tokens"),
    CACHE_WRITE_1H_TOKENS("cache_write_1h_tokens"),
    AUDIO_INPUT_TOKENS("audio_input_tokens"),
    OUTPUT_TOKENS("output_tokens"),
    REASONING_TOKENS("reasoning_tokens"),
    AUDIO_OUTPUT_TOKENS("audio_output_tokens"),
    COST_USD("cost_usd"),
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
