package dev.assay;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The user of model calls, and the metadata of their events. Immutable: every method returns a copy. Null means "not
 * known".
 *
 * <pre>{@code
 * CallOptions.create().user("ann").conversationId("c-17")
 * }</pre>
 */
public final class CallOptions {
    private static final CallOptions NONE = new CallOptions(null, null, Map.of(), true);

    private final String user;
    private final String unit;
    private final Map<String, Object> metadata;
    private final boolean streamUsage;

    private CallOptions(String user, String unit, Map<String, Object> metadata, boolean streamUsage) {
        this.user = user;
        this.unit = unit;
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
     * Sets the user of the calls; default: the user of {@link AssayClient#withUser}.
     *
     * @param id the user's id
     * @return a copy
     */
    public CallOptions user(String id) {
        return new CallOptions(id, unit, metadata, streamUsage);
    }

    /**
     * Sets the unit of the calls, for experiments that assign conversations or runs; default: the id of {@link
     * AssayClient#withConversation} or {@link AssayClient#withRun}. {@link AssayClient#withUser} ignores it.
     *
     * @param id the id of the conversation or the run
     * @return a copy
     */
    public CallOptions unit(String id) {
        return new CallOptions(user, id, metadata, streamUsage);
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
     * @param fields values that JSON can represent
     * @return a copy
     */
    public CallOptions metadata(Map<String, ?> fields) {
        Map<String, Object> all = new LinkedHashMap<>(metadata);
        if (fields != null) all.putAll(fields);
        return new CallOptions(user, unit, Collections.unmodifiableMap(all), streamUsage);
    }

    /**
     * Sets whether {@link AssayClient#wrap} requests the usage of OpenAI's chat completion streams; default: true,
     * until a provider rejects it.
     *
     * @param isAsked whether to request it
     * @return a copy
     */
    public CallOptions streamUsage(boolean isAsked) {
        return new CallOptions(user, unit, metadata, isAsked);
    }

    private CallOptions with(String field, String text) {
        Map<String, Object> all = new LinkedHashMap<>(metadata);
        if (text == null) all.remove(field);
        else all.put(field, text);
        return new CallOptions(user, unit, Collections.unmodifiableMap(all), streamUsage);
    }

    /**
     * Returns the user of the calls.
     *
     * @return the user's id, or null
     */
    public String user() {
        return user;
    }

    /**
     * Returns the unit of the calls.
     *
     * @return the id of the conversation or the run, or null
     */
    public String unit() {
        return unit;
    }

    /**
     * Returns the {@code metadata} of each {@code model_call}.
     *
     * @return the fields, never null; unmodifiable
     */
    public Map<String, Object> metadata() {
        return metadata;
    }

    /**
     * Returns whether the usage of chat completion streams is requested.
     *
     * @return as set
     */
    public boolean streamUsage() {
        return streamUsage;
    }
}
