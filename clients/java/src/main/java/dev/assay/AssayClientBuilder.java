package dev.assay;

import dev.assay.internal.Settings;
import dev.assay.internal.config.Overrides;
import dev.assay.internal.delivery.CorrectedClock;
import dev.assay.internal.event.KeptEvent;
import dev.assay.internal.event.UuidV7;
import dev.assay.internal.json.Json;
import dev.assay.internal.json.JsonException;
import dev.assay.internal.log.ClientLog;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/** The options of an {@link AssayClient}. All are optional; null counts as not set. */
public final class AssayClientBuilder {
    private static final String PRODUCTION_URL = "https://api.assay.dev";
    private static final Duration FLUSH_INTERVAL = Duration.ofSeconds(5);
    private static final Duration POLL_INTERVAL = Duration.ofSeconds(60);

    private final Function<String, String> environment;
    private String apiKey;
    private String baseUrl;
    private final List<String> experiments = new ArrayList<>();
    private boolean trackExposures = true;
    private Duration flushInterval;
    private Duration pollInterval;
    private boolean longPoll;
    private String bootstrap;
    private Path offlineStore;
    private boolean durable;
    private final Map<String, String> overrides = new LinkedHashMap<>();
    private boolean offline;
    private List<KeptEvent> recorded;
    private Mask mask;
    private System.Logger logger;
    private Clock clock;
    private Supplier<String> eventIds;

    AssayClientBuilder(Function<String, String> environment) {
        this.environment = environment;
    }

    /**
     * Sets the API key, publishable or secret.
     *
     * @param apiKey the key; default: the environment variable ASSAY_API_KEY
     * @return this builder
     */
    public AssayClientBuilder apiKey(String apiKey) {
        this.apiKey = apiKey;
        return this;
    }

    /**
     * Sets the address of the service.
     *
     * @param baseUrl its URL; default: the environment variable ASSAY_BASE_URL, else the production
     *     API
     * @return this builder
     */
    public AssayClientBuilder baseUrl(String baseUrl) {
        this.baseUrl = baseUrl;
        return this;
    }

    /**
     * Names the experiments that {@link AssayClient#awaitReady} waits for.
     *
     * @param experiments names or ids; default: none
     * @return this builder
     */
    public AssayClientBuilder experiments(String... experiments) {
        this.experiments.clear();
        if (experiments == null) return this;
        for (String name : experiments) if (name != null) this.experiments.add(name);
        return this;
    }

    /**
     * Sets whether an assignment records an exposure.
     *
     * @param trackExposures default: true
     * @return this builder
     */
    public AssayClientBuilder trackExposures(boolean trackExposures) {
        this.trackExposures = trackExposures;
        return this;
    }

    /**
     * Sets the longest time that an event waits for its batch to fill.
     *
     * @param flushInterval a positive time; default: 5 s
     * @return this builder
     */
    public AssayClientBuilder flushInterval(Duration flushInterval) {
        this.flushInterval = flushInterval;
        return this;
    }

    /**
     * Sets the time between config polls. Each interval varies by 10%.
     *
     * @param pollInterval a positive time; default: 60 s
     * @return this builder
     */
    public AssayClientBuilder pollInterval(Duration pollInterval) {
        this.pollInterval = pollInterval;
        return this;
    }

    /**
     * Lets a request for the config stay open until the config changes, so that a change arrives within
     * seconds.
     *
     * @param longPoll default: false
     * @return this builder
     */
    public AssayClientBuilder longPoll(boolean longPoll) {
        this.longPoll = longPoll;
        return this;
    }

    /**
     * Gives the client a config to start with.
     *
     * @param json the {@link AssayClient#configSnapshot} of another client; default: none
     * @return this builder
     */
    public AssayClientBuilder bootstrap(String json) {
        this.bootstrap = json;
        return this;
    }

    /**
     * Keeps undeliverable events in files, for at most 24 hours. Also keeps the last config, so that a process that
     * starts during an outage assigns as before. Processes may share a folder.
     *
     * @param folder the folder, created if missing; default: none, which drops undeliverable events
     * @return this builder
     */
    public AssayClientBuilder offlineStore(Path folder) {
        this.offlineStore = folder;
        return this;
    }

    /**
     * Writes each event to the offline store before {@link AssayClient#track} returns, so that it survives any end of
     * the process, but not a power cut. Needs {@link #offlineStore}.
     *
     * @param durable default: false
     * @return this builder
     */
    public AssayClientBuilder durable(boolean durable) {
        this.durable = durable;
        return this;
    }

    /**
     * Forces a variant for every user of this client, for example to preview it. The experiment's events are marked as
     * tests, which the analysis leaves out. An unknown variant is ignored, with one warning.
     *
     * @param experiment its name or id
     * @param variant the key of a variant, which may be switched off
     * @return this builder
     */
    public AssayClientBuilder override(String experiment, String variant) {
        if (experiment != null && variant != null) overrides.put(experiment, variant);
        return this;
    }

    /**
     * Makes an offline client. It needs no key and makes no requests, assigns from its {@link #bootstrap}, is ready at
     * once, and drops tracked events.
     *
     * @param offline default: false
     * @return this builder
     */
    public AssayClientBuilder offline(boolean offline) {
        this.offline = offline;
        return this;
    }

    AssayClientBuilder recorded(List<KeptEvent> recorded) {
        this.recorded = recorded;
        return this;
    }

    /**
     * Sets a function that rewrites the texts of model calls before they leave the process.
     *
     * @param mask the function; default: none
     * @return this builder
     */
    public AssayClientBuilder mask(Mask mask) {
        this.mask = mask;
        return this;
    }

    /**
     * Sets the logger for the client's few messages. They never contain payloads, user ids or keys.
     *
     * @param logger default: the logger {@code dev.assay} of {@link System#getLogger(String)}
     * @return this builder
     */
    public AssayClientBuilder logger(System.Logger logger) {
        this.logger = logger;
        return this;
    }

    /**
     * Sets the clock for event times, for example for a replay. It does not affect waits.
     *
     * @param clock default: the system clock, corrected by the Date of the service's answers if over 60 s off
     * @return this builder
     */
    public AssayClientBuilder clock(Clock clock) {
        this.clock = clock;
        return this;
    }

    /**
     * Sets the function that makes event ids. It may be called from any thread.
     *
     * @param eventIds returns a new string of 1 to 128 characters at each call; default: version 7 UUIDs
     * @return this builder
     */
    public AssayClientBuilder eventIds(Supplier<String> eventIds) {
        this.eventIds = eventIds;
        return this;
    }

    /**
     * Makes the client. Reads the config kept in the offline store and starts loading the current one in the
     * background. Does not wait for the network.
     *
     * @return a new client
     * @throws IllegalStateException only without an API key, unless {@link #offline}, or when {@link #durable} has no
     *     folder to write to
     */
    public AssayClient build() {
        return new AssayClient(settings());
    }

    private Settings settings() {
        String key = firstOf(apiKey, environment.apply("ASSAY_API_KEY"), null);
        if (key == null && !offline)
            throw new IllegalStateException("Assay needs an API key: set apiKey or ASSAY_API_KEY.");
        ClientLog log = new ClientLog(logger == null ? System.getLogger("dev.assay") : logger, System::nanoTime);
        String address = firstOf(baseUrl, environment.apply("ASSAY_BASE_URL"), null);
        if (address == null && !offline) {
            address = PRODUCTION_URL;
            log.once(Level.WARNING, "neither baseUrl nor ASSAY_BASE_URL is set: using " + address);
        }
        Clock time = clock == null ? new CorrectedClock(Clock.systemUTC(), log) : clock;
        return new Settings(
                offline ? "" : key,
                offline ? "" : address.replaceAll("/+$", ""),
                experiments,
                trackExposures,
                positiveOr(flushInterval, FLUSH_INTERVAL),
                positiveOr(pollInterval, POLL_INTERVAL),
                longPoll,
                parsed(bootstrap, log),
                offline ? null : offlineStore,
                durable && !offline,
                new Overrides(overrides),
                offline,
                recorded,
                mask,
                log,
                time,
                eventIds == null ? () -> UuidV7.of(time.millis()) : eventIds);
    }

    /** Without surrounding white space, because a key that is read from a file often ends with a newline. */
    private static String firstOf(String given, String ofEnvironment, String standard) {
        if (given != null && !given.isBlank()) return given.strip();
        return ofEnvironment != null && !ofEnvironment.isBlank() ? ofEnvironment.strip() : standard;
    }

    private static Duration positiveOr(Duration given, Duration standard) {
        return given == null || given.isNegative() || given.isZero() ? standard : given;
    }

    private static Object parsed(String json, ClientLog log) {
        if (json == null) return null;
        try {
            return Json.parse(json);
        } catch (JsonException notJson) {
            log.once(Level.ERROR, "bootstrap is invalid");
            return null;
        }
    }
}
