package dev.assay;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What is known about model calls before they are made: whose they are, and what their events carry. Immutable:
 * every method returns a copy. Null means "not known".
 *
 * <pre>{@code
 * CallOptions.create().user("ann").conversationId("c-17")
 * }</pre>
 */
public final class CallOptions {
    private static final CallOptions NONE = new CallOptions(null, Map.of(), true);

    private final String user;
    private final Map<String, Object> metadata;
    private final boolean streamUsage;

    private CallOptions(String user, Map<String, Object> metadata, boolean streamUsage) {
        this.user = user;
        this.metadata = metadata;
        this.streamUsage = streamUsage;
    }

    /**
     * Returns options with nothing set.
     *
     * @return the options
     */
    public static CallOptions create() {
        return NONE;
    }

    /**
     * Sets whose calls they are; default: the user of {@link AssayClient#withUser}.
     *
     * @param id the user's id
     * @return a copy
     */
    public CallOptions user(String id) {
        return new CallOptions(id, metadata, streamUsage);
    }

    /**
     * Sets the conversation: {@code metadata.conversation_id} of each {@code model_call}.
     *
     * @param id the conversation's id
     * @return a copy
     */
    public CallOptions conversationId(String id) {
        return with("conversation_id", id);
    }

    /**
     * Sets the trace: {@code metadata.trace_id} of each {@code model_call}.
     *
     * @param id the trace's id
     * @return a copy
     */
    public CallOptions traceId(String id) {
        return with("trace_id", id);
    }

    /**
     * Adds fields to {@code metadata} of each {@code model_call}.
     *
     * @param fields values that JSON can carry
     * @return a copy
     */
    public CallOptions metadata(Map<String, ?> fields) {
        Map<String, Object> all = new LinkedHashMap<>(metadata);
        if (fields != null) all.putAll(fields);
        return new CallOptions(user, Collections.unmodifiableMap(all), streamUsage);
    }

    /**
     * Sets whether {@link AssayClient#wrap} asks OpenAI's streams of chat completions for their usage; default:
     * true, until a provider refuses it.
     *
     * @param isAsked whether they are asked
     * @return a copy
     */
    public CallOptions streamUsage(boolean isAsked) {
        return new CallOptions(user, metadata, isAsked);
    }

    private CallOptions with(String field, String text) {
        Map<String, Object> all = new LinkedHashMap<>(metadata);
        if (text == null) all.remove(field);
        else all.put(field, text);
        return new CallOptions(user, Collections.unmodifiableMap(all), streamUsage);
    }

    /**
     * Returns whose calls they are.
     *
     * @return the user's id, or null
     */
    public String user() {
        return user;
    }

    /**
     * Returns what each {@code model_call} carries as {@code metadata}.
     *
     * @return the fields, never null; unmodifiable
     */
    public Map<String, Object> metadata() {
        return metadata;
    }

    /**
     * Returns whether streams of chat completions are asked for their usage.
     *
     * @return as set
     */
    public boolean streamUsage() {
        return streamUsage;
    }
}
