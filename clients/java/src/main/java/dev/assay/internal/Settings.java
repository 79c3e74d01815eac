package dev.assay.internal;

import dev.assay.Mask;
import dev.assay.internal.config.Overrides;
import dev.assay.internal.event.KeptEvent;
import dev.assay.internal.log.ClientLog;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** The options of a client, with their defaults filled in. */
public final class Settings {
    /** Never logged. */
    public final String apiKey;

    /** Without a trailing slash. */
    public final String baseUrl;

    /** Names or ids of the experiments that make the client ready. */
    public final List<String> experiments;

    /** Whether an assignment records an exposure. */
    public final boolean trackExposures;

    /** Positive. */
    public final Duration flushInterval;

    /** Positive. */
    public final Duration pollInterval;

    /** Whether a request for the config stays open until it changes. */
    public final boolean longPoll;

    /** A config to start with, as {@code Json.parse} returns it, or null. */
    public final Object bootstrap;

    /** The folder for undeliverable events, or null for none. */
    public final Path offlineStore;

    /** Whether each event is in the folder before {@code track} returns. */
    public final boolean durable;

    /** The forced variants. */
    public final Overrides overrides;

    /** Whether no request is made and nothing kept. */
    public final boolean offline;

    /** Receives the events of an offline client that records them; null for none. Thread-safe. */
    public final List<KeptEvent> recorded;

    /** Rewrites the text of model calls, or null for none. */
    public final Mask mask;

    /** The client's log. */
    public final ClientLog log;

    /** The time of events; does not affect waits. The caller's code: it may throw. */
    public final Clock clock;

    /** Makes event ids. The caller's code: it may throw. */
    public final Supplier<String> newId;

    /** Stores the values. The caller fills in the defaults. */
    public Settings(
            String apiKey,
            String baseUrl,
            List<String> experiments,
            boolean trackExposures,
            Duration flushInterval,
            Duration pollInterval,
            boolean longPoll,
            Object bootstrap,
            Path offlineStore,
            boolean durable,
            Overrides overrides,
            boolean offline,
            List<KeptEvent> recorded,
            Mask mask,
            ClientLog log,
            Clock clock,
            Supplier<String> newId) {
        this.apiKey = apiKey;
        this.baseUrl = baseUrl;
        this.experiments = List.copyOf(experiments);
        this.trackExposures = trackExposures;
        this.flushInterval = flushInterval;
        this.pollInterval = pollInterval;
        this.longPoll = longPoll;
        this.bootstrap = bootstrap;
        this.offlineStore = offlineStore;
        this.durable = durable;
        this.overrides = overrides;
        this.offline = offline;
        this.recorded = recorded;
        this.mask = mask;
        this.log = log;
        this.clock = clock;
        this.newId = newId;
    }
}
