package dev.assay.openfeature;

import dev.assay.AssayClient;
import dev.assay.PromptChoice;
import dev.assay.Subject;
import dev.openfeature.sdk.EvaluationContext;
import dev.openfeature.sdk.EventProvider;
import dev.openfeature.sdk.ImmutableMetadata;
import dev.openfeature.sdk.Metadata;
import dev.openfeature.sdk.ProviderEvaluation;
import dev.openfeature.sdk.ProviderEventDetails;
import dev.openfeature.sdk.Reason;
import dev.openfeature.sdk.TrackingEventDetails;
import dev.openfeature.sdk.Value;
import dev.openfeature.sdk.exceptions.FatalError;
import dev.openfeature.sdk.exceptions.FlagNotFoundError;
import dev.openfeature.sdk.exceptions.InvalidContextError;
import dev.openfeature.sdk.exceptions.ProviderNotReadyError;
import dev.openfeature.sdk.exceptions.TargetingKeyMissingError;
import dev.openfeature.sdk.exceptions.TypeMismatchError;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;

/**
 * Serves Assay's experiments to the OpenFeature SDK: a string flag is the key of the user's variant, an object flag
 * its variables. An evaluation makes no request and records the user's exposure. The client belongs to the provider
 * from here on: {@link #shutdown} closes it.
 */
public final class AssayProvider extends EventProvider {
    private static final Duration READY_TIMEOUT = Duration.ofSeconds(5);
    private static final long WATCH_SECONDS = 1;
    private static final System.Logger LOG = System.getLogger("dev.assay");
    private static final String WITHOUT_USER =
            "an outcome was not tracked: set the targeting key in the context to the user's id";

    private final AssayClient assay;
    private final AtomicBoolean hasWarned = new AtomicBoolean();
    private ScheduledExecutorService watcher;
    private List<Map<String, Object>> announced;
    private boolean isClosed;

    /**
     * Makes a provider.
     *
     * @param assay an open client, which {@link #shutdown} closes
     */
    public AssayProvider(AssayClient assay) {
        this.assay = assay;
    }

    @Override
    public Metadata getMetadata() {
        return () -> "assay";
    }

    /**
     * Waits for a config.
     *
     * @param context is not read
     * @throws ProviderNotReadyError after 5 s; PROVIDER_READY follows if a config is loaded later
     * @throws FatalError once the client is closed
     */
    @Override
    public void initialize(EvaluationContext context) {
        // Also false when an experiment that the client waits for is missing: the others can be evaluated.
        assay.awaitReady(READY_TIMEOUT);
        synchronized (this) {
            if (isClosed) throw new FatalError("the client is closed: create a new client and provider");
            announced = assay.experiments();
            if (watcher == null) {
                watcher = Executors.newSingleThreadScheduledExecutor(AssayProvider::thread);
                watcher.scheduleWithFixedDelay(this::announce, WATCH_SECONDS, WATCH_SECONDS, TimeUnit.SECONDS);
            }
            if (announced == null) throw new ProviderNotReadyError("the config is not loaded yet");
        }
    }

    /** Delivers the tracked events and closes the client for good. */
    @Override
    public void shutdown() {
        synchronized (this) {
            isClosed = true;
            if (watcher != null) watcher.shutdownNow();
        }
        assay.close();
        super.shutdown();
    }

    @Override
    public ProviderEvaluation<String> getStringEvaluation(String key, String standard, EvaluationContext context) {
        Flag flag = find(key);
        if (flag.is(Flag.VARIABLES)) throw new TypeMismatchError(key + " is an object flag, not a string flag");
        return evaluate(
                flag,
                standard,
                context,
                (variant, subject) -> flag.is(Flag.PROMPT)
                        ? subject.getPrompt(flag.named(), standard).prompt()
                        : variant);
    }

    @Override
    public ProviderEvaluation<Value> getObjectEvaluation(String key, Value standard, EvaluationContext context) {
        Flag flag = find(key);
        if (flag.is(Flag.PROMPT)) throw new TypeMismatchError(key + " is a string flag, not an object flag");
        if (standard == null || !standard.isStructure()) {
            throw new TypeMismatchError("the default of an object flag must be a structure");
        }
        Map<String, Object> defaults = standard.asStructure().asObjectMap();
        return evaluate(
                flag, standard, context, (variant, subject) -> Values.of(subject.getVariables(flag.named(), defaults)));
    }

    @Override
    public ProviderEvaluation<Boolean> getBooleanEvaluation(String key, Boolean standard, EvaluationContext context) {
        throw refusal(key);
    }

    @Override
    public ProviderEvaluation<Integer> getIntegerEvaluation(String key, Integer standard, EvaluationContext context) {
        throw refusal(key);
    }

    @Override
    public ProviderEvaluation<Double> getDoubleEvaluation(String key, Double standard, EvaluationContext context) {
        throw refusal(key);
    }

    /**
     * Reports an outcome as a business event of the experiment in the attribute {@code experiment} (name or id);
     * without one, of each experiment in which the user has a variant. The other attributes become metadata.
     * Without a targeting key there is none.
     */
    @Override
    public void track(String name, EvaluationContext context, TrackingEventDetails details) {
        String user = context == null ? null : context.getTargetingKey();
        if (user == null || user.isEmpty()) {
            if (!hasWarned.getAndSet(true)) LOG.log(Level.WARNING, WITHOUT_USER);
            return;
        }
        Map<String, Object> metadata =
                details == null ? new LinkedHashMap<>() : new LinkedHashMap<>(details.asObjectMap());
        Object experiment = metadata.remove("experiment");
        Map<String, Object> event = new LinkedHashMap<>();
        event.put("user_id", user);
        event.put("business_metric", name);
        event.put("value", details == null ? 1 : details.getValue().orElse(1));
        if (!metadata.isEmpty()) event.put("metadata", metadata);
        List<Map<String, Object>> listed = assay.experiments();
        List<Map<String, Object>> experiments = listed == null ? List.of() : listed;
        if (experiment != null) {
            event.put("experiment_id", experiment.toString());
            putUnit(event, unitOf(context, experiment(experiments, experiment.toString())));
            assay.track("business_event", event);
            return;
        }
        for (Map<String, Object> each : experiments) {
            String id = String.valueOf(each.get("id"));
            String unit = unitOf(context, each);
            String variant = assay.subject(user, unit).findVariant(id);
            // A shipped experiment has closed its sample.
            if (variant == null || isShipped(each)) continue;
            event.put("experiment_id", id);
            putUnit(event, each.get("unit") == null ? null : unit);
            event.put("variant", variant);
            assay.track("business_event", event);
        }
    }

    /**
     * Returns the unit that a context names: by its attribute {@code unit_id}, or else {@code conversation_id} or
     * {@code run_id}, as the experiment assigns; null without one.
     */
    private static String unitOf(EvaluationContext context, Map<String, Object> experiment) {
        Value named = context.getValue("unit_id");
        Object kind = experiment == null ? null : experiment.get("unit");
        if (named == null && kind != null) named = context.getValue(kind + "_id");
        return named == null ? null : named.asString();
    }

    private static void putUnit(Map<String, Object> event, String unit) {
        if (unit == null) event.remove("unit_id");
        else event.put("unit_id", unit);
    }

    private <T> ProviderEvaluation<T> evaluate(
            Flag flag, T standard, EvaluationContext context, BiFunction<String, Subject, T> toValue) {
        Map<String, Object> experiment = flag.experiment();
        String user = context == null ? null : context.getTargetingKey();
        if (user == null || user.isEmpty()) {
            throw new TargetingKeyMissingError("set the targeting key in the context to the user's id");
        }
        if (user.codePointCount(0, user.length()) > 256) {
            throw new InvalidContextError("the targeting key must have at most 256 characters");
        }
        ImmutableMetadata.ImmutableMetadataBuilder metadata =
                ImmutableMetadata.builder().addString("experimentId", flag.id());
        if (experiment.get("version") instanceof Number version) metadata.addLong("version", version.longValue());
        Subject subject = assay.subject(user, unitOf(context, experiment));
        PromptChoice choice = subject.getPrompt(flag.id(), "");
        ProviderEvaluation.ProviderEvaluationBuilder<T> evaluation = ProviderEvaluation.<T>builder();
        if (choice.variant() == null) {
            boolean isRunning = "running".equals(experiment.get("status"));
            evaluation.value(standard).reason((isRunning ? Reason.DEFAULT : Reason.DISABLED).name());
        } else {
            evaluation.value(toValue.apply(choice.variant(), subject)).variant(choice.variant());
            evaluation.reason((isShipped(experiment) ? Reason.STATIC : Reason.SPLIT).name());
            if (!choice.fallback()) metadata.addString("prompt", choice.prompt());
        }
        return evaluation.flagMetadata(metadata.build()).build();
    }

    private TypeMismatchError refusal(String key) {
        find(key);
        return new TypeMismatchError(
                "an experiment is a string flag (variant or prompt) or an object flag (variables)");
    }

    /** Finds a flag. An experiment whose own name has an ending comes first. */
    private Flag find(String key) {
        List<Map<String, Object>> experiments = assay.experiments();
        if (experiments == null) throw new ProviderNotReadyError("the config is not loaded yet");
        if (key == null) throw new FlagNotFoundError("the flag has no key: it is an experiment's name or id");
        for (String ending : List.of("", Flag.PROMPT, Flag.VARIABLES)) {
            if (!key.endsWith(ending)) continue;
            String named = key.substring(0, key.length() - ending.length());
            Map<String, Object> experiment = experiment(experiments, named);
            if (experiment != null) return new Flag(experiment, named, ending);
        }
        throw new FlagNotFoundError("no experiment has the name or id " + key);
    }

    /** Finds an experiment by id or name. If a name equals another experiment's id, the id wins, as in the client. */
    private static Map<String, Object> experiment(List<Map<String, Object>> experiments, String key) {
        for (String field : List.of("id", "name")) {
            for (Map<String, Object> experiment : experiments) {
                if (key.equals(experiment.get(field))) return experiment;
            }
        }
        return null;
    }

    /**
     * An experiment, its name or id in the key, which warnings of the client repeat, and what of it the key names: without an
     * ending, what the type of the flag asks for.
     */
    private record Flag(Map<String, Object> experiment, String named, String ending) {
        static final String PROMPT = ".prompt";
        static final String VARIABLES = ".variables";

        String id() {
            return String.valueOf(experiment.get("id"));
        }

        boolean is(String other) {
            return ending.equals(other);
        }
    }

    private static boolean isShipped(Map<String, Object> experiment) {
        return Boolean.TRUE.equals(experiment.get("shipped"));
    }

    /** Tells the SDK of the first config, and of changes of experiments. */
    private synchronized void announce() {
        List<Map<String, Object>> now = assay.experiments();
        if (isClosed || now == null || now.equals(announced)) return;
        boolean isFirst = announced == null;
        announced = now;
        ProviderEventDetails details = ProviderEventDetails.builder().build();
        if (isFirst) emitProviderReady(details);
        else emitProviderConfigurationChanged(details);
    }

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(work, "assay-openfeature");
        thread.setDaemon(true);
        return thread;
    }
}
