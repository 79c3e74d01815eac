package dev.assay;

import dev.assay.internal.ClientCore;
import dev.assay.internal.Settings;
import dev.assay.internal.config.Assignment;
import dev.assay.internal.config.ConfigVariant;
import dev.assay.internal.config.VariantContent;
import dev.assay.internal.modelcall.CallRecord;
import dev.assay.internal.modelcall.ModelCalls;
import dev.assay.internal.modelcall.UserContext;
import dev.assay.internal.provider.ProviderView;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/**
 * Assigns users to variants from a polled config and reports events in the background. Use one per process,
 * for all threads. Only {@link AssayClientBuilder#build()} throws, and only without an API key
 * or a durable client's folder.
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
     * Starts building a client.
     *
     * @return a builder for the options
     */
    public static AssayClientBuilder builder() {
        return new AssayClientBuilder(System::getenv);
    }

    /**
     * Makes a client for unit tests: no network, no key, fixed variants. A variant has no prompt and no
     * variables of its own, so defaults stand. {@link #trackedEvents} gives what was tracked.
     *
     * @param variants the key of everybody's variant, by the experiment's name; for the rest there is none
     * @return a new client, ready at once
     */
    public static AssayClient forTests(Map<String, String> variants) {
        return new AssayClientBuilder(name -> null)
                .offline(true)
                .bootstrap(FixedVariants.config(variants))
                .recorded(new CopyOnWriteArrayList<>())
                .build();
    }

    /**
     * Returns what a client of {@link #forTests} would have sent.
     *
     * @return the events with their fields, oldest first; empty for other clients
     */
    public List<Map<String, Object>> trackedEvents() {
        return core.recorded();
    }

    /**
     * Waits until a config with the experiments of the options is loaded.
     *
     * @param timeout the longest time to wait; null: do not wait
     * @return true once it is loaded, false at the deadline, or when the client is closed or the
     *     thread interrupted first
     */
    public boolean awaitReady(Duration timeout) {
        return core.awaitReady(timeout);
    }

    /**
     * Returns the key of the user's variant. Makes no request and never blocks. Records an exposure at most
     * once per user and variant within 10 minutes, for at least the last 10,000 exposures.
     *
     * @param experiment its name or id
     * @param user the user's id
     * @return the key, or null for control behavior: the config is not loaded, the experiment is
     *     unknown or stopped, or the user is not in it
     */
    public String assign(String experiment, String user) {
        ConfigVariant variant = core.assign(experiment, user);
        return variant == null ? null : variant.key;
    }

    /**
     * Returns the key of the user's variant without recording an exposure.
     *
     * @param experiment its name or id
     * @param user the user's id
     * @return the key, or null as {@link #assign} does
     */
    public String findVariant(String experiment, String user) {
        Assignment found = core.findAssignment(experiment, user);
        return found == null ? null : found.variant.key;
    }

    /**
     * Lists the experiments of the current config.
     *
     * @return of each, those of the fields {@code id}, {@code name}, {@code status}, {@code version} and {@code
     *     shipped} that the config has; null until a config is loaded
     */
    public List<Map<String, Object>> experiments() {
        return core.experiments();
    }

    /**
     * Returns the prompt of the user's variant. Assigns as {@link #assign} does.
     *
     * @param experiment its name or id
     * @param user the user's id
     * @param defaultPrompt returned when the user has no variant, or the variant has no prompt
     * @return the variant and the prompt, never null
     */
    public PromptChoice getPrompt(String experiment, String user, String defaultPrompt) {
        ConfigVariant variant = core.assign(experiment, user);
        if (variant == null) return new PromptChoice(null, defaultPrompt, true);
        // An empty prompt counts as a prompt.
        boolean isFallback = variant.prompt == null;
        return new PromptChoice(variant.key, isFallback ? defaultPrompt : variant.prompt, isFallback);
    }

    /**
     * Returns the defaults, overwritten by the user's variant: its variables replace top-level keys, and
     * nested objects whole. A variable of another kind than its default (text, number, boolean, list, object)
     * is left out, with a warning. Assigns as {@link #assign} does. Objects are {@code Map}s and lists
     * {@code List}s. Numbers are {@code Long} when written as an integer, else {@code Double}: read them as
     * {@code Number}.
     *
     * @param experiment its name or id
     * @param user the user's id
     * @param defaults values for what the variant does not set; null: no defaults
     * @return a new map, owned by the caller; nested defaults are not copied
     */
    public Map<String, Object> getVariables(String experiment, String user, Map<String, ?> defaults) {
        return getVariablesDetail(experiment, user, defaults).variables();
    }

    /**
     * Returns what {@link #getVariables} returns, with the variant and which of the defaults stand.
     *
     * @param experiment its name or id
     * @param user the user's id
     * @param defaults values for what the variant does not set; null: no defaults
     * @return the variant and the variables, never null
     */
    public VariablesChoice getVariablesDetail(String experiment, String user, Map<String, ?> defaults) {
        VariantContent content = core.contentOver(defaults, experiment, user);
        return new VariablesChoice(content.variant, content.variables, content.fallback);
    }

    /**
     * Queues an event for the next batch, as it is now: later changes of the payload do not affect it. Never
     * blocks. An event that cannot be sent is logged as a warning.
     *
     * <p>The payload has the fields of the HTTP API. {@code event_id} and {@code timestamp} are filled in
     * when absent. A timestamp is an {@code Instant}, {@code OffsetDateTime}, {@code ZonedDateTime}, {@code
     * Date}, RFC 3339 text with an offset, or epoch milliseconds. Values are null, {@code String}, {@code
     * Boolean}, the numbers of the JDK (not NaN or Infinity), maps with text for keys, collections, arrays,
     * those instants, enums (sent by name) and {@code UUID}s.
     *
     * @param event {@code exposure}, {@code model_call} or {@code business_event}
     * @param payload the event's fields
     */
    public void track(String event, Map<String, ?> payload) {
        core.track(event, payload);
    }

    /**
     * Returns a view of a client of {@code openai-java} or {@code anthropic-java}, with or without {@code Async}. It
     * has the client's interface, and each model call through it is recorded: an exposure and a {@code
     * model_call}. The calls belong to the user of {@link #withUser}. A call without a user, or whose user has no
     * variant, is made and not recorded. The client itself is not changed; any other object is returned as it
     * is, with a warning.
     *
     * @param <T> the client's interface, such as {@code OpenAIClient}
     * @param provider the client
     * @param experiment its name or id
     * @return the view
     */
    public <T> T wrap(T provider, String experiment) {
        return wrap(provider, experiment, null);
    }

    /**
     * Returns a view of a provider's client as {@link #wrap(Object, String)} does.
     *
     * @param <T> the client's interface
     * @param provider the client
     * @param experiment its name or id
     * @param options whose calls they are, what their events carry; null: nothing is set
     * @return the view
     */
    public <T> T wrap(T provider, String experiment, CallOptions options) {
        try {
            return ProviderView.wrap(core, provider, experiment, options == null ? CallOptions.create() : options);
        } catch (Throwable e) {
            core.warnOnce("an object could not be wrapped");
            return provider;
        }
    }

    /**
     * Runs code whose model calls belong to a user: those through {@link #wrap} and those of frameworks, on this
     * thread. Other threads start without a user.
     *
     * @param <T> what the code returns
     * @param <E> what the code throws
     * @param user the user's id
     * @param work the code
     * @return exactly what the code returns
     * @throws E exactly what the code throws
     */
    public <T, E extends Exception> T withUser(String user, Work<T, E> work) throws E {
        return withUser(CallOptions.create().user(user), work);
    }

    /**
     * Runs code whose model calls belong to a user, as {@link #withUser(String, Work)} does. Their events carry the
     * conversation, the trace and the metadata of the options; the innermost ones count.
     *
     * @param <T> what the code returns
     * @param <E> what the code throws
     * @param options the user, and what the events carry
     * @param work the code
     * @return exactly what the code returns
     * @throws E exactly what the code throws
     */
    public <T, E extends Exception> T withUser(CallOptions options, Work<T, E> work) throws E {
        return UserContext.run(options == null ? CallOptions.create() : options, work);
    }

    /**
     * Starts to record a model call: an exposure now, and a {@code model_call} when it ends. For calls that do not
     * end where they begin, such as streams and callbacks of frameworks; otherwise {@link #interceptModelCall}
     * is simpler.
     *
     * @param experiment its name or id
     * @param options the user (default: the user of {@link #withUser}), and what the event carries; null: nothing
     *     is set
     * @return the call, never null
     */
    public ModelCall startModelCall(String experiment, CallOptions options) {
        return new ModelCall(CallRecord.start(core, experiment, options == null ? CallOptions.create() : options));
    }

    /**
     * Makes one model call and records an exposure and a {@code model_call} with its latency. If the result
     * is a string, or an {@code HttpResponse} with a string body, in the wire format of OpenAI, Anthropic or
     * Google, model, tokens and texts are recorded too. Calls of a user without a variant are not recorded;
     * of nested calls only the outermost is.
     *
     * @param <T> what the call returns
     * @param experiment its name or id
     * @param user the user's id
     * @param call makes the call, on this thread
     * @return exactly what the call returns
     * @throws Exception exactly what the call throws
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
     * @param extractor reads facts from the result; if it throws, a warning is logged; null: the wire formats
     *     are recognized
     * @return exactly what the call returns
     * @throws Exception exactly what the call throws
     */
    public <T> T interceptModelCall(
            String experiment, String user, Callable<T> call, UsageExtractor<? super T> extractor) throws Exception {
        return ModelCalls.intercept(core, experiment, user, call, extractor);
    }

    /**
     * Makes one model call with an asynchronous result. When the result arrives, records the call as {@link
     * #interceptModelCall(String, String, Callable)} does.
     *
     * @param <T> the result of the call
     * @param experiment its name or id
     * @param user the user's id
     * @param call starts the call, on this thread
     * @return the same stage that the call returns; rethrows what the call throws
     */
    public <T> CompletionStage<T> interceptModelCallAsync(
            String experiment, String user, Supplier<? extends CompletionStage<T>> call) {
        return interceptModelCallAsync(experiment, user, call, null);
    }

    /**
     * Makes one model call with an asynchronous result. When the result arrives, records the call as {@link
     * #interceptModelCall(String, String, Callable, UsageExtractor)} does.
     *
     * @param <T> the result of the call
     * @param experiment its name or id
     * @param user the user's id
     * @param call starts the call, on this thread
     * @param extractor reads facts from the result; if it throws, a warning is logged; null: the wire formats
     *     are recognized
     * @return the same stage that the call returns; rethrows what the call throws
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

    /**
     * Flushes as {@link #flush(Duration)} does, and tells which events the service refused since the last
     * report.
     *
     * @param timeout the longest time to wait; null: do not wait
     * @return the report, never null
     */
    public FlushReport flushReport(Duration timeout) {
        boolean isDelivered = core.flush(timeout);
        return new FlushReport(isDelivered, core.takeRejected());
    }

    /** Closes the client within 5 s: see {@link #close(Duration)}. */
    @Override
    public void close() {
        close(CLOSE_TIMEOUT);
    }

    /**
     * Stops polling and flushes. Events that could not be sent in time go to the offline store or are given
     * up. The client goes on assigning from its last config but records nothing more.
     *
     * @param timeout the longest time to wait; null: do not wait
     * @return as {@link #flush(Duration)}
     */
    public boolean close(Duration timeout) {
        return core.close(timeout);
    }

    /**
     * Returns the current config, for another client's {@link AssayClientBuilder#bootstrap}.
     *
     * @return JSON text, or null until a config is loaded
     */
    public String configSnapshot() {
        return core.configSnapshot();
    }
}
