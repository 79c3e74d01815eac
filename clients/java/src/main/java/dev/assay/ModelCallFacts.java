package dev.assay;

import dev.assay.internal.wire.WireReader;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What is known of a model call. What is not known stays away: an absent count is not a zero. Immutable.
 *
 * <p>Prompt and response are cut to 64 KiB of UTF-8 each when the call is recorded, after the client's {@link
 * Mask}.
 */
public final class ModelCallFacts {
    private static final double MAX_COUNT = 9_007_199_254_740_991.0;

    private final Map<String, Object> fields;

    private ModelCallFacts(Map<String, Object> fields) {
        this.fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
    }

    /**
     * Begins with nothing known.
     *
     * @return a new builder
     */
    public static Builder builder() {
        return new Builder(Map.of());
    }

    /**
     * Reads what a provider was sent and what it answered, recognised by the shape: OpenAI's chat completions
     * and responses and what speaks alike, Anthropic's messages, Google's {@code generateContent}, and their
     * errors. {@code provider} is the one whose format the answer has. Texts that are no JSON, or of no known
     * shape, tell nothing; never throws.
     *
     * @param requestJson the body of the request; null when it is not known. Google has the model in the
     *     address of the request, not in its body: tell it by {@link #toBuilder()}
     * @param response the body of the answer: JSON, or all server-sent events that came, the stream being
     *     broken off or not; null when there is none
     * @return what the texts tell
     */
    public static ModelCallFacts fromWire(String requestJson, String response) {
        return new ModelCallFacts(WireReader.read(requestJson, response));
    }

    /**
     * Begins with all that is known here.
     *
     * @return a new builder
     */
    public Builder toBuilder() {
        return new Builder(fields);
    }

    /**
     * Returns what is known by the names of the fields of a {@code model_call}: {@code provider},
     * {@code requested_model}, {@code model}, {@code input_tokens}, {@code cached_input_tokens},
     * {@code output_tokens}, {@code reasoning_tokens}, {@code cost_usd}, {@code finish_reason}, {@code
     * error_type}, {@code time_to_first_token_ms}, {@code prompt}, {@code response}.
     *
     * @return texts, {@code Long} counts and {@code Double} amounts, none of them null; unmodifiable
     */
    public Map<String, Object> fields() {
        return fields;
    }

    /**
     * Returns the names of what is known; the texts may be the user's and stay out.
     *
     * @return a text for logs
     */
    @Override
    public String toString() {
        return "ModelCallFacts" + fields.keySet();
    }

    /**
     * Builds facts. A value that cannot be one (an empty text, a negative or broken number) counts as not
     * known.
     */
    public static final class Builder {
        private final Map<String, Object> fields;

        private Builder(Map<String, Object> fields) {
            this.fields = new LinkedHashMap<>(fields);
        }

        /**
         * Who was asked.
         *
         * @param name {@code openai}, {@code anthropic}, {@code google}, …; null: not known
         * @return this
         */
        public Builder provider(String name) {
            return text("provider", name);
        }

        /**
         * The model that was asked for.
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
         * All input tokens, those read from or written to the provider's cache included.
         *
         * @param count a whole number; null: not known
         * @return this
         */
        public Builder inputTokens(Number count) {
            return count("input_tokens", count);
        }

        /**
         * Of the input tokens, those read from the provider's cache.
         *
         * @param count a whole number; null: not known
         * @return this
         */
        public Builder cachedInputTokens(Number count) {
            return count("cached_input_tokens", count);
        }

        /**
         * All output tokens, reasoning included.
         *
         * @param count a whole number; null: not known
         * @return this
         */
        public Builder outputTokens(Number count) {
            return count("output_tokens", count);
        }

        /**
         * Of the output tokens, those spent on reasoning.
         *
         * @param count a whole number; null: not known
         * @return this
         */
        public Builder reasoningTokens(Number count) {
            return count("reasoning_tokens", count);
        }

        /**
         * What the call cost; none of the providers says.
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
         * @param reason the provider's word; null: not known
         * @return this
         */
        public Builder finishReason(String reason) {
            return text("finish_reason", reason);
        }

        /**
         * Why the call failed although nothing was thrown: the call then counts as an error.
         *
         * @param type a short name, never a message; null: it did not fail
         * @return this
         */
        public Builder errorType(String type) {
            return text("error_type", type);
        }

        /**
         * The time from the start of the call to the first piece of the response; only you can measure it.
         *
         * @param ms milliseconds; null: not known
         * @return this
         */
        public Builder timeToFirstTokenMs(Number ms) {
            return amount("time_to_first_token_ms", ms);
        }

        /**
         * What the model was asked.
         *
         * @param text the text; null: not known
         * @return this
         */
        public Builder prompt(String text) {
            return text("prompt", text);
        }

        /**
         * What the model answered.
         *
         * @param text the text; null: not known
         * @return this
         */
        public Builder response(String text) {
            return text("response", text);
        }

        /**
         * Makes the facts.
         *
         * @return what has been told so far
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
