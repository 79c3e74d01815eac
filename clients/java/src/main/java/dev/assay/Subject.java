package dev.assay;

import dev.assay.internal.ClientCore;
import dev.assay.internal.config.Assignment;
import dev.assay.internal.config.ConfigVariant;
import dev.assay.internal.config.VariantContent;
import dev.assay.internal.modelcall.ModelCalls;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * A user and, for experiments that assign conversations or runs, the id of that unit. See {@link AssayClient#subject}.
 * Its methods work like the client's. Without a known unit, such an experiment gives control behavior, which is logged
 * once. Immutable.
 *
 * <pre>{@code
 * assay.subject("ann", "conversation-17").getPrompt("greeting", "Answer.").prompt()
 * }</pre>
 */
public final class Subject {
    private final ClientCore core;
    private final String user;
    private final String unit;

    Subject(ClientCore core, String user, String unit) {
        this.core = core;
        this.user = user;
        this.unit = unit;
    }

    /**
     * Returns the key of the variant, as {@link AssayClient#assign} does.
     *
     * @param experiment its name or id
     * @return the key, or null for control behavior
     */
    public String assign(String experiment) {
        ConfigVariant variant = core.assign(experiment, user, unit);
        return variant == null ? null : variant.key;
    }

    /**
     * Returns the key of the variant without recording an exposure.
     *
     * @param experiment its name or id
     * @return the key, or null as {@link #assign} does
     */
    public String findVariant(String experiment) {
        Assignment found = core.findAssignment(experiment, user, unit);
        return found == null ? null : found.variant.key;
    }

    /**
     * Returns the prompt of the variant, as {@link AssayClient#getPrompt} does.
     *
     * @param experiment its name or id
     * @param defaultPrompt returned when there is no variant, or the variant has no prompt
     * @return the variant and the prompt, never null
     */
    public PromptChoice getPrompt(String experiment, String defaultPrompt) {
        ConfigVariant variant = core.assign(experiment, user, unit);
        if (variant == null) return new PromptChoice(null, defaultPrompt, true);
        // An empty prompt counts as a prompt.
        boolean isFallback = variant.prompt == null;
        return new PromptChoice(variant.key, isFallback ? defaultPrompt : variant.prompt, isFallback);
    }

    /**
     * Returns the defaults, overwritten by the variant's variables, as {@link AssayClient#getVariables} does.
     *
     * @param experiment its name or id
     * @param defaults values for variables that the variant does not set; null: no defaults
     * @return a new map, owned by the caller
     */
    public Map<String, Object> getVariables(String experiment, Map<String, ?> defaults) {
        return getVariablesDetail(experiment, defaults).variables();
    }

    /**
     * Returns what {@link #getVariables} returns, with the variant and which variables have your defaults.
     *
     * @param experiment its name or id
     * @param defaults values for variables that the variant does not set; null: no defaults
     * @return the variant and the variables, never null
     */
    public VariablesChoice getVariablesDetail(String experiment, Map<String, ?> defaults) {
        VariantContent content = core.contentOver(defaults, experiment, user, unit);
        return new VariablesChoice(content.variant, content.variables, content.fallback);
    }

    /**
     * Makes one model call and records it, as {@link AssayClient#interceptModelCall(String, String, Callable,
     * UsageExtractor)} does.
     *
     * @param <T> what the call returns
     * @param experiment its name or id
     * @param call makes the call, on this thread
     * @param extractor reads facts from the result; null: the wire formats are recognized
     * @return exactly what the call returns
     * @throws Exception exactly what the call throws
     */
    public <T> T interceptModelCall(String experiment, Callable<T> call, UsageExtractor<? super T> extractor)
            throws Exception {
        return ModelCalls.interceptFor(core, experiment, options(), call, extractor);
    }

    /**
     * Makes one model call with an asynchronous result, as {@link AssayClient#interceptModelCallAsync(String,
     * String, Supplier, UsageExtractor)} does.
     *
     * @param <T> the result of the call
     * @param experiment its name or id
     * @param call starts the call, on this thread
     * @param extractor reads facts from the result; null: the wire formats are recognized
     * @return the same stage that the call returns; rethrows what the call throws
     */
    public <T> CompletionStage<T> interceptModelCallAsync(
            String experiment, Supplier<? extends CompletionStage<T>> call, UsageExtractor<? super T> extractor) {
        return ModelCalls.interceptAsyncFor(core, experiment, options(), call, extractor);
    }

    /**
     * Returns a recorder for an agent's tool calls and ends of runs, for this subject.
     *
     * @param experiment its name or id
     * @return the agent
     */
    public Agent agent(String experiment) {
        return new Agent(core, experiment, options(), null);
    }

    private CallOptions options() {
        return CallOptions.create().user(user).unit(unit);
    }
}
