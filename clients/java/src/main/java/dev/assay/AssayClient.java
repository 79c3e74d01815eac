package dev.assay;

import dev.assay.internal.ClientCore;
import dev.assay.internal.Settings;
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
 * Assigns users to variants from a polled config and reports events in the background. Use one per process, for all
 * threads. Only {@link AssayClientBuilder#build()} throws: without an API key or a durable client's folder.
 */
public final class AssayClient implements AutoCloseable {
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
     * Makes a client for unit tests: it needs no network and no key. Its variants are fixed and have no prompts or
     * variables, so your defaults apply. {@link #trackedEvents} returns the tracked events.
     *
     * @param variants the key of everybody's variant, by the experiment's name; other experiments have none
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
     * Returns the events that a client of {@link #forTests} would have sent.
     *
     * @return the events with their fields, oldest first; empty for other clients
     */
    public List<Map<String, Object>> trackedEvents() {
        return core.recorded();
    }

    /**
     * Waits until a config with all experiments of {@link AssayClientBuilder#experiments} is loaded.
     *
     * @param timeout the longest time to wait; null: do not wait
     * @return true once it is loaded, false at the deadline, or when closed or interrupted first
     */
    public boolean awaitReady(Duration timeout) {
        return core.awaitReady(timeout);
    }

    /**
     * Returns the key of the user's variant. Makes no request and never blocks. Records an exposure at most once per
     * user and variant within 10 minutes, for at least the last 10,000 exposures.
     *
     * @param experiment its name or id
     * @param user the user's id
     * @return the key, or null for control behavior: no config is loaded, or the user is not in a running experiment
     */
    public String assign(String experiment, String user) {
        return subject(user, null).assign(experiment);
    }

    /**
     * Returns the key of the user's variant without recording an exposure.
     *
     * @param experiment its name or id
     * @param user the user's id
     * @return the key, or null as {@link #assign} does
     */
    public String findVariant(String experiment, String user) {
        return subject(user, null).findVariant(experiment);
    }

    /**
     * Returns whom to assign in experiments that assign conversations or runs.
     *
     * @param user the user's id
     * @param unit the id of the conversation or the run; null: the id of {@link #withConversation} or {@link #withRun}
     * @return the subject, which has the methods that take a user here
     */
    public Subject subject(String user, String unit) {
        return new Subject(core, user, unit);
    }

    /**
     * Lists the experiments of the current config.
     *
     * @return each with its {@code id, name, status, version, shipped, unit} where present; null without a config
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
        return subject(user, null).getPrompt(experiment, defaultPrompt);
    }

    /**
     * Returns the defaults, overwritten by the top-level keys of the variant's variables. Ignores a variable whose type
     * (text, number, boolean, list, object) differs from its default's, and logs a warning. Assigns as {@link #assign}
     * does. Objects are {@code Map}s, lists {@code List}s. Integers are {@code Long}, other numbers {@code Double}.
     *
     * @param experiment its name or id
     * @param user the user's id
     * @param defaults values for variables that the variant does not set; null: no defaults
     * @return a new map, owned by the caller; nested defaults are not copied
     */
    public Map<String, Object> getVariables(String experiment, String user, Map<String, ?> defaults) {
        return getVariablesDetail(experiment, user, defaults).variables();
    }

    /**
     * Returns what {@link #getVariables} returns, with the variant and which variables have your defaults.
     *
     * @param experiment its name or id
     * @param user the user's id
     * @param defaults values for variables that the variant does not set; null: no defaults
     * @return the variant and the variables, never null
     */
    public VariablesChoice getVariablesDetail(String experiment, String user, Map<String, ?> defaults) {
        return subject(user, null).getVariablesDetail(experiment, defaults);
    }

    /**
     * Queues an event for the next batch, as it is now. Never blocks. Logs a warning if it cannot be sent.
     *
     * <p>The payload has the fields of the HTTP API. {@code event_id} and {@code timestamp} are filled in when absent. A
     * timestamp is an {@code Instant}, {@code OffsetDateTime}, {@code ZonedDateTime}, {@code Date}, RFC 3339 text with an
     * offset, or epoch milliseconds. Values are null, {@code String}, {@code Boolean}, JDK numbers (not NaN or Infinity),
     * maps with text keys, collections, arrays, those timestamp types, enums (sent by name) and {@code UUID}s.
     *
     * @param event {@code exposure}, {@code model_call}, {@code tool_call}, {@code run_end} or {@code business_event}
     * @param payload the event's fields
     */
    public void track(String event, Map<String, ?> payload) {
        core.trackHere(event, payload);
    }

    /**
     * Returns a view of a client of {@code openai-java} or {@code anthropic-java}, with or without {@code Async}. It
     * has the client's interface and records an exposure and a {@code model_call} for each model call. The calls belong
     * to the user of {@link #withUser}. A call without a user, or whose user has no variant, is made but not recorded.
     * The client itself is not changed. Any other object is returned unchanged, with a warning.
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
     * @param options the user of the calls and the metadata of their events; null: nothing is set
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
     * Runs code on this thread. Its model calls through {@link #wrap} and frameworks belong to a user.
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
     * Runs code whose model calls belong to a user, as {@link #withUser(String, Work)} does. Their events have the
     * conversation, the trace and the metadata of the options. The innermost options count.
     *
     * @param <T> what the code returns
     * @param <E> what the code throws
     * @param options the user, and the events' metadata
     * @param work the code
     * @return exactly what the code returns
     * @throws E exactly what the code throws
     */
    public <T, E extends Exception> T withUser(CallOptions options, Work<T, E> work) throws E {
        return UserContext.run(options == null ? CallOptions.create() : options, work);
    }

    /**
     * Runs code in a conversation, as {@link #withUser(String, Work)} does for a user; both nest in any order.
     * Experiments that assign conversations assign this one, and model calls have it in their metadata.
     *
     * @param <T> what the code returns
     * @param <E> what the code throws
     * @param id the conversation's id
     * @param work the code
     * @return exactly what the code returns
     * @throws E exactly what the code throws
     */
    public <T, E extends Exception> T withConversation(String id, Work<T, E> work) throws E {
        return UserContext.inConversation(id, work);
    }

    /**
     * Runs code in a run of an agent, as {@link #withConversation} does; events have its id as {@code run_id}.
     *
     * @param <T> what the code returns
     * @param <E> what the code throws
     * @param id the run's id
     * @param work the code
     * @return exactly what the code returns
     * @throws E exactly what the code throws
     */
    public <T, E extends Exception> T withRun(String id, Work<T, E> work) throws E {
        return UserContext.inRun(id, work);
    }

    /**
     * Returns a recorder for an agent's tool calls and ends of runs, for the user of {@link #withUser}.
     *
     * @param experiment its name or id
     * @return the agent
     */
    public Agent agent(String experiment) {
        return subject(null, null).agent(experiment);
    }

    /**
     * Starts to record a model call: an exposure now, and a {@code model_call} when it ends. Use it for calls that end
     * elsewhere, such as streams and framework callbacks. Otherwise {@link #interceptModelCall} is simpler.
     *
     * @param experiment its name or id
     * @param options the user (default: that of {@link #withUser}), and the event's metadata; null: nothing is set
     * @return the call, never null
     */
    public ModelCall startModelCall(String experiment, CallOptions options) {
        return new ModelCall(CallRecord.start(core, experiment, options == null ? CallOptions.create() : options));
    }

    /**
     * Makes one model call and records an exposure and a {@code model_call}. It has model, tokens and texts if the
     * result, or the {@code HttpResponse}'s body, is in the wire format of OpenAI, Anthropic or Google. Calls of a user
     * without a variant are not recorded. Of nested calls, only the outermost is recorded.
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
     * Makes one model call and records it as {@link #interceptModelCall(String, String, Callable)} does.
     *
     * @param <T> what the call returns
     * @param experiment its name or id
     * @param user the user's id
     * @param call makes the call, on this thread
     * @param extractor reads the result; if it throws, a warning is logged; null: the wire formats are recognized
     * @return exactly what the call returns
     * @throws Exception exactly what the call throws
     */
    public <T> T interceptModelCall(
            String experiment, String user, Callable<T> call, UsageExtractor<? super T> extractor) throws Exception {
        return ModelCalls.intercept(core, experiment, user, call, extractor);
    }

    /**
     * Makes one model call as {@link #interceptModelCall(String, String, Callable)} does, with an asynchronous result.
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
     * Makes one model call as {@link #interceptModelCallAsync(String, String, Supplier)} does.
     *
     * @param <T> the result of the call
     * @param experiment its name or id
     * @param user the user's id
     * @param call starts the call, on this thread
     * @param extractor reads the result; if it throws, a warning is logged; null: the wire formats are recognized
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
        return flush(Duration.ofSeconds(10));
    }

    /**
     * Sends everything tracked before the call.
     *
     * @param timeout the longest time to wait; null: do not wait
     * @return true once the service has answered for all of it; false if some was lost or kept for later, at once while
     *     sending is paused (a refused key, a used-up allowance), at the deadline, or when interrupted
     */
    public boolean flush(Duration timeout) {
        return core.flush(timeout);
    }

    /**
     * Flushes as {@link #flush(Duration)} does, and reports which events the service has refused since the last report.
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
        close(Duration.ofSeconds(5));
    }

    /**
     * Stops polling and flushes. Events that could not be sent in time go to the offline store or are given up. The
     * client can still assign from its last config, but records nothing more.
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
