package dev.assay;

import dev.assay.internal.ClientCore;
import dev.assay.internal.Settings;
import dev.assay.internal.config.ConfigVariant;
import dev.assay.internal.modelcall.ModelCalls;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Assigns users to variants on a polled config and reports events in the background: one per
 * process, for all threads. Only {@link AssayClientBuilder#build()} throws, and only for want of an
 * API key.
 *
 * <pre>{@code
 * try (AssayClient assay = AssayClient.builder().experiments("greeting").build()) {
 *     assay.awaitReady(Duration.ofSeconds(5));
 *     String prompt = assay.getPrompt("greeting", "ann", "Answer.").prompt();
 * }
 * }</pre>
 */
public final class AssayClient implements AutoCloseable {
    private static final Duration FLUSH_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    private final ClientCore core;

    AssayClient(Settings settings) {
        core = new ClientCore(settings);
    }

    /**
     * Begins a client.
     *
     * @return its options, to be set and built
     */
    public static AssayClientBuilder builder() {
        return new AssayClientBuilder(System::getenv);
    }

    /**
     * Waits until the config with the experiments named in the options is loaded.
     *
     * @param timeout the longest time to wait; null: do not wait
     * @return true once it is loaded, false at the deadline, or when the client is closed or the
     *     thread interrupted first
     */
    public boolean awaitReady(Duration timeout) {
        return core.awaitReady(timeout);
    }

    /**
     * Returns the key of the user's variant. Makes no request and never blocks. Records an exposure
     * once per user and variant within 10 minutes, for the last 10,000 of them at least.
     *
     * @param experiment its name or id
     * @param user the user's id
     * @return the key, or null for control behaviour: the config is not loaded, the experiment is
     *     unknown or stopped, or the user is not in it
     */
    public String assign(String experiment, String user) {
        ConfigVariant variant = core.assign(experiment, user);
        return variant == null ? null : variant.key;
    }

    /**
     * Returns the prompt of the user's variant. Assigns as {@link #assign} does.
     *
     * @param experiment its name or id
     * @param user the user's id
     * @param defaultPrompt what to answer when the user has no variant or the variant no prompt
     * @return the variant and the prompt, never null
     */
    public PromptChoice getPrompt(String experiment, String user, String defaultPrompt) {
        ConfigVariant variant = core.assign(experiment, user);
        if (variant == null) return new PromptChoice(null, defaultPrompt, true);
        // An empty prompt is one.
        boolean isFallback = variant.prompt == null;
        return new PromptChoice(variant.key, isFallback ? defaultPrompt : variant.prompt, isFallback);
    }

    /**
     * Returns the variables of the user's variant over the defaults: its top-level keys replace
     * theirs, null and nested objects included. Assigns as {@link #assign} does. Objects are {@code
     * Map}s, lists {@code List}s; numbers {@code Long} when written as an integer, else {@code
     * Double}: read them as {@code Number}.
     *
     * @param experiment its name or id
     * @param user the user's id
     * @param defaults values for what the variant does not set; null: no defaults
     * @return a new map, the caller's own; its nested defaults are those given
     */
    public Map<String, Object> getVariables(String experiment, String user, Map<String, ?> defaults) {
        return core.variablesOver(defaults, experiment, user);
    }

    /**
     * Puts an event into the queue for the next batch, as it is now: later changes of the payload
     * do not reach it. Never blocks; an event that cannot be sent is a warning in the log.
     *
     * <p>The payload has the fields of the HTTP API. {@code event_id} and {@code timestamp} are
     * made when absent; a timestamp is an {@code Instant}, {@code OffsetDateTime}, {@code
     * ZonedDateTime}, {@code Date}, RFC 3339 text with an offset, or epoch milliseconds. Values are
     * null, {@code String}, {@code Boolean}, the numbers of the JDK (not NaN or Infinity), maps
     * with text for keys, collections, arrays, those instants, enums (sent by name) and {@code
     * UUID}s.
     *
     * @param event {@code exposure}, {@code model_call} or {@code business_event}
     * @param payload the event's fields
     */
    public void track(String event, Map<String, ?> payload) {
        core.track(event, payload);
    }

    /**
     * Makes one model call and records an exposure and a {@code model_call} with its latency. A
     * result that is a text or an {@code HttpResponse} of a text, in the wire format of OpenAI,
     * Anthropic or Google, tells model, tokens and texts besides. A user without a variant is not
     * recorded; of calls within calls the outermost is.
     *
     * @param <T> what the call returns
     * @param experiment its name or id
     * @param user the user's id
     * @param call makes the call, on this thread
     * @return just what the call returns
     * @throws Exception just what the call throws
     */
    public <T> T interceptModelCall(String experiment, String user, Callable<T> call) throws Exception {
        return interceptModelCall(experiment, user, call, null);
    }

    /**
     * Makes one model call and records it as {@link #interceptModelCall(String, String, Callable)}
     * does.
     *
     * @param <T> what the call returns
     * @param experiment its name or id
     * @param user the user's id
     * @param call makes the call, on this thread
     * @param extractor reads what the result tells; what it throws is a warning in the log; null:
     *     the wire formats are recognised, as without it
     * @return just what the call returns
     * @throws Exception just what the call throws
     */
    public <T> T interceptModelCall(
            String experiment, String user, Callable<T> call, UsageExtractor<? super T> extractor) throws Exception {
        return ModelCalls.intercept(core, experiment, user, call, extractor);
    }

    /**
     * Makes one model call whose result comes later and records it as {@link
     * #interceptModelCall(String, String, Callable)} does when it is there.
     *
     * @param <T> what the call ends with
     * @param experiment its name or id
     * @param user the user's id
     * @param call begins the call, on this thread
     * @return the very stage that the call returns; what the call throws is thrown
     */
    public <T> CompletionStage<T> interceptModelCallAsync(
            String experiment, String user, Supplier<? extends CompletionStage<T>> call) {
        return interceptModelCallAsync(experiment, user, call, null);
    }

    /**
     * Makes one model call whose result comes later and records it as {@link
     * #interceptModelCall(String, String, Callable, UsageExtractor)} does when it is there.
     *
     * @param <T> what the call ends with
     * @param experiment its name or id
     * @param user the user's id
     * @param call begins the call, on this thread
     * @param extractor reads what the result tells; what it throws is a warning in the log; null:
     *     the wire formats are recognised, as without it
     * @return the very stage that the call returns; what the call throws is thrown
     */
    public <T> CompletionStage<T> interceptModelCallAsync(
            String experiment,
            String user,
            Supplier<? extends CompletionStage<T>> call,
            UsageExtractor<? super T> extractor) {
        return ModelCalls.interceptAsync(core, experiment, user, call, extractor);
    }

    /**
     * Sends everything tracked before the call, within 10 s.
     *
     * @return as {@link #flush(Duration)}
     */
    public boolean flush() {
        return flush(FLUSH_TIMEOUT);
    }

    /**
     * Sends everything tracked before the call.
     *
     * @param timeout the longest time to wait; null: do not wait
     * @return true once the service has answered for all of it; false when some of it was given up
     *     or kept for later, at once while sending is paused (a refused key, a used-up allowance),
     *     at the deadline, or when interrupted
     */
    public boolean flush(Duration timeout) {
        return core.flush(timeout);
    }

    /** Closes the client within 5 s: see {@link #close(Duration)}. */
    @Override
    public void close() {
        close(CLOSE_TIMEOUT);
    }

    /**
     * Stops polling, sends what is left, and keeps in the offline store, or gives up, what the time
     * was not enough for. The client goes on assigning on its last config, and records nothing
     * more.
     *
     * @param timeout the longest time to wait; null: do not wait
     * @return as {@link #flush(Duration)}
     */
    public boolean close(Duration timeout) {
        return core.close(timeout);
    }

    /**
     * Returns the config in force, to be handed to another client as {@link
     * AssayClientBuilder#bootstrap}.
     *
     * @return JSON text, or null until a config is loaded
     */
    public String configSnapshot() {
        return core.configSnapshot();
    }
}
