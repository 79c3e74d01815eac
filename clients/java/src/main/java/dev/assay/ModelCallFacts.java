package dev.assay;

import dev.assay.internal.config.Fields;
import dev.assay.internal.wire.Sampling;
import dev.assay.internal.wire.WireReader;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What is known about a model call. Unknown facts are absent; a missing count does not mean zero. Immutable.
 *
 * <p>Prompt and response are cut to 64 KiB of UTF-8 each when the call is recorded, after the client's {@link Mask}.
 */
public final class ModelCallFacts {
    private static final double MAX_COUNT = 9_007_199_254_740_991.0;

    private final Map<String, Object> fields;

    private ModelCallFacts(Map<String, Object> fields) {
        this.fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
    }

    /**
     * Starts a builder with no facts.
     *
     * @return a new builder
     */
    public static Builder builder() {
        return new Builder(Map.of());
    }

    /**
     * Reads a provider's request and response. Recognizes them by their shape: OpenAI's chat completions and responses
     * (and compatible APIs), Anthropic's messages, Google's {@code generateContent}, and their errors. The fact {@code
     * provider} names the provider whose format the response has. Text that is not JSON, or has an unknown shape, adds
     * nothing. Never throws.
     *
     * @param requestJson the body of the request; null when it is not known. Google puts the model into the request's
     *     URL, not its body, so add it with {@link #toBuilder()}
     * @param response the body of the response: JSON, or the server-sent events received, even if the stream broke off;
     *     null when there is none
     * @return the facts found
     */
    public static ModelCallFacts fromWire(String requestJson, String response) {
        return new ModelCallFacts(WireReader.read(requestJson, response));
    }

    /**
     * Starts a builder with these facts.
     *
     * @return a new builder
     */
    public Builder toBuilder() {
        return new Builder(fields);
    }

    /**
     * Returns the known facts by the field names of a {@code model_call}: {@code provider}, {@code requested_model},
     * {@code model}, {@code service_tier}, {@code input_tokens}, {@code cached_input_tokens}, {@code
     * cache_write_5m_tokens}, {@code cache_write_1h_tokens}, {@code audio_input_tokens}, {@code output_tokens}, {@code
     * reasoning_tokens}, {@code audio_output_tokens}, {@code usage_estimated}, {@code cost_usd}, {@code finish_reason},
     * {@code agent_name}, {@code error_type}, {@code time_to_first_token_ms}, {@code prompt}, {@code response}; {@code
     * metadata} has the sampling settings of the request ({@code temperature}, {@code top_p}, {@code max_tokens},
     * {@code seed}), and {@code outcome} if the answer says that the response continues in the background.
     *
     * @return texts, {@code Long} counts, {@code Double} amounts, a {@code Boolean} and, as {@code metadata}, a {@code
     *     Map}; none of them null; unmodifiable
     */
    public Map<String, Object> fields() {
        return fields;
    }

    /**
     * Returns the names of the known facts, without values, because texts may contain user data.
     *
     * @return a text for logs
     */
    @Override
    public String toString() {
        return "ModelCallFacts" + fields.keySet();
    }

    /**
     * Builds facts. An invalid value (an empty text, a negative number, NaN) counts as unknown.
     */
    public static final class Builder {
        private final Map<String, Object> fields;

        private Builder(Map<String, Object> fields) {
            this.fields = new LinkedHashMap<>(fields);
        }

        /**
         * The provider of the model.
         *
         * @param name {@code openai}, {@code anthropic}, {@code google}, …; null: not known
         * @return this
         */
        public Builder provider(String name) {
            return text("provider", name);
        }

        /**
         * The requested model.
         *
         * @param name its name; null: not known
         * @return this
         */
        public Builder requestedModel(String name) {
            return text("requested_model", name);
        }

        /**
         * The model that answered.
         *
         * @param name its name; null: not known
         * @return this
         */
        public Builder model(String name) {
            return text("model", name);
        }

        /**
         * The agent that made the call.
         *
         * @param name its name; null: not known
         * @return this
         */
        public Builder agentName(String name) {
            return text("agent_name", name);
        }

        /**
         * The tier that answered.
         *
         * @param tier the provider's term; null: not known
         * @return this
         */
        public Builder serviceTier(String tier) {
            return text("service_tier", tier);
        }

        /**
         * All input tokens, including those read from or written to the provider's cache.
         *
         * @param count a whole number; null: not known
         * @return this
         */
        public Builder inputTokens(Number count) {
            return count("input_tokens", count);
        }

        /**
         * Sets the input tokens that were read from the provider's cache.
         *
         * @param count a whole number; null: not known
         * @return this
         */
        public Builder cachedInputTokens(Number count) {
            return count("cached_input_tokens", count);
        }

        /**
         * Sets the input tokens that were written to the provider's cache for 5 minutes.
         *
         * @param count a whole number; null: not known
         * @return this
         */
        public Builder cacheWrite5mTokens(Number count) {
            return count("cache_write_5m_tokens", count);
        }

        /**
         * Sets the input tokens that were written to the provider's cache for an hour.
         *
         * @param count a whole number; null: not known
         * @return this
         */
        public Builder cacheWrite1hTokens(Number count) {
            return count("cache_write_1h_tokens", count);
        }

        /**
         * Sets the input tokens of audio.
         *
         * @param count a whole number; null: not known
         * @return this
         */
        public Builder audioInputTokens(Number count) {
            return count("audio_input_tokens", count);
        }

        /**
         * All output tokens, including reasoning.
         *
         * @param count a whole number; null: not known
         * @return this
         */
        public Builder outputTokens(Number count) {
            return count("output_tokens", count);
        }

        /**
         * Sets the output tokens spent on reasoning.
         *
         * @param count a whole number; null: not known
         * @return this
         */
        public Builder reasoningTokens(Number count) {
            return count("reasoning_tokens", count);
        }

        /**
         * Sets the output tokens of audio.
         *
         * @param count a whole number; null: not known
         * @return this
         */
        public Builder audioOutputTokens(Number count) {
            return count("audio_output_tokens", count);
        }

        /**
         * Whether some token counts are estimates, because the stream was cut short.
         *
         * @param isEstimated false or null: they are not
         * @return this
         */
        public Builder usageEstimated(Boolean isEstimated) {
            return put("usage_estimated", Boolean.TRUE.equals(isEstimated) ? true : null);
        }

        /**
         * The cost of the call, if the provider reports it.
         *
         * @param amount US dollars; null: not known
         * @return this
         */
        public Builder costUsd(Number amount) {
            return amount("cost_usd", amount);
        }

        /**
         * Why the answer ended.
         *
         * @param reason the provider's term; null: not known
         * @return this
         */
        public Builder finishReason(String reason) {
            return text("finish_reason", reason);
        }

        /**
         * Why the call failed although nothing was thrown. The call then counts as an error.
         *
         * @param type a short name, never a message; null: it did not fail
         * @return this
         */
        public Builder errorType(String type) {
            return text("error_type", type);
        }

        /**
         * The time from the start of the call to the first piece of the response. Only your code can measure it.
         *
         * @param ms milliseconds; null: not known
         * @return this
         */
        public Builder timeToFirstTokenMs(Number ms) {
            return amount("time_to_first_token_ms", ms);
        }

        /**
         * The prompt.
         *
         * @param text the text; null: not known
         * @return this
         */
        public Builder prompt(String text) {
            return text("prompt", text);
        }

        /**
         * The response.
         *
         * @param text the text; null: not known
         * @return this
         */
        public Builder response(String text) {
            return text("response", text);
        }

        /**
         * The temperature that the request sets.
         *
         * @param value a number; null: it sets none
         * @return this
         */
        public Builder temperature(Number value) {
            return setting("temperature", value);
        }

        /**
         * The request's {@code top_p}: the share of the likeliest tokens that it allows.
         *
         * @param value a number; null: it sets none
         * @return this
         */
        public Builder topP(Number value) {
            return setting("top_p", value);
        }

        /**
         * The limit of output tokens that the request sets.
         *
         * @param count a number; null: it sets none
         * @return this
         */
        public Builder maxTokens(Number count) {
            return setting("max_tokens", count);
        }

        /**
         * The seed that the request sets.
         *
         * @param value a number; null: it sets none
         * @return this
         */
        public Builder seed(Number value) {
            return setting("seed", value);
        }

        /**
         * Makes the facts.
         *
         * @return the facts added so far
         */
        public ModelCallFacts build() {
            return new ModelCallFacts(fields);
        }

        private Builder text(String field, String text) {
            return put(field, text == null || text.isEmpty() ? null : text);
        }

        private Builder count(String field, Number count) {
            double value = count == null ? -1 : count.doubleValue();
            boolean isCount = value >= 0 && value <= MAX_COUNT && value == Math.rint(value);
            return put(field, isCount ? count.longValue() : null);
        }

        private Builder amount(String field, Number amount) {
            double value = amount == null ? -1 : amount.doubleValue();
            return put(field, value >= 0 && value < Double.POSITIVE_INFINITY ? value : null);
        }

        private Builder setting(String name, Number value) {
            Map<String, Object> metadata = new LinkedHashMap<>(Fields.of(fields.get("metadata")));
            Number known = Sampling.finite(value);
            if (known == null) metadata.remove(name);
            else metadata.put(name, known);
            return put("metadata", metadata.isEmpty() ? null : Collections.unmodifiableMap(metadata));
        }

        private Builder put(String field, Object value) {
            if (value == null) {
                fields.remove(field);
            } else {
                fields.put(field, value);
            }
            return this;
        }
    }
}
