package dev.assay.internal;

import dev.assay.Mask;
import dev.assay.internal.config.Assignment;
import dev.assay.internal.config.ConfigExperiment;
import dev.assay.internal.config.ConfigSnapshot;
import dev.assay.internal.config.ConfigVariant;
import dev.assay.internal.config.Fields;
import dev.assay.internal.config.MetricNames;
import dev.assay.internal.config.VariantContent;
import dev.assay.internal.delivery.Background;
import dev.assay.internal.event.EventRow;
import dev.assay.internal.event.ExposureMemory;
import dev.assay.internal.event.KeptEvent;
import dev.assay.internal.event.UnsendableEventException;
import dev.assay.internal.json.Json;
import dev.assay.internal.modelcall.Host;
import dev.assay.internal.modelcall.UserContext;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;

/** The part of a client between the caller and the background. No method throws. */
public final class ClientCore implements Host {
    private static final long EXPOSURE_WINDOW_MS = 600_000;

    /** The memory keeps at least half of this number, and at most all of it. */
    private static final int MAX_EXPOSURES = 20_000;

    /** Warnings are limited, because a name in them may come from data. */
    private static final int LONGEST_WARNING = 300;

    private static final Duration LONGEST_WAIT = Duration.ofDays(365);

    private final Settings settings;
    private final MetricNames names;
    private final Background background;
    private final ExposureMemory exposures = new ExposureMemory(EXPOSURE_WINDOW_MS, MAX_EXPOSURES);

    /** Held weakly, so that a call that never ends can be collected. */
    private final Map<Runnable, Boolean> unsettled = new WeakHashMap<>();

    private volatile boolean isClosed;

    /** Starts the background: polling begins. */
    public ClientCore(Settings settings) {
        this.settings = settings;
        names = new MetricNames(settings.log);
        this.background = new Background(settings, this::noteLoaded);
        // The config may have been loaded before this field was set.
        noteLoaded();
    }

    /** Finds the user's variant and records the exposure; null for control behavior. */
    public ConfigVariant assign(String experiment, String user, String unit) {
        Assignment found = findAssignment(experiment, user, unit);
        if (found == null) return null;
        boolean isExposed = settings.trackExposures && !found.variant.shipped;
        if (isExposed && !isClosed) recordExposure(found, user, UserContext.unit(found.unit, unit));
        return found.variant;
    }

    /** Finds the variant without recording an exposure; null for control behavior. */
    @Override
    public Assignment findAssignment(String experiment, String user, String unit) {
        ConfigSnapshot snapshot = background.snapshot();
        if (snapshot == null) {
            background.noteNull();
            settings.log.count("assigned null, config not loaded");
            return null;
        }
        ConfigExperiment found = snapshot.find(experiment);
        if (found == null) {
            // Version 0 is a test client's config. Nobody has a variant in experiments that it does not name.
            if (snapshot.version != 0) warnOfMissing(experiment);
            return null;
        }
        if (!UserContext.isId(user)) {
            settings.log.count("assigned null, user is not 1-256 characters long");
            return null;
        }
        String assigned = found.unit == null ? user : UserContext.unit(found.unit, unit);
        if (assigned == null) {
            warnOnce(found.name + " assigns by " + found.unit
                    + ": pass the unit (1-256 characters), or use withConversation or withRun");
            return null;
        }
        Assignment forced = forced(found);
        return forced == null ? found.assign(user, assigned) : forced;
    }

    /** Returns the place that an override gives to every user; null without an override. */
    private Assignment forced(ConfigExperiment experiment) {
        String key = settings.overrides.keyFor(experiment);
        Assignment place = experiment.place(key);
        if (key != null && place == null && experiment.isRunning()) {
            warnOnce("override ignored: the experiment " + experiment.name + " has no variant " + key);
        }
        return place;
    }

    /** Puts copies of the variant's variables over the defaults. */
    public VariantContent contentOver(Map<String, ?> defaults, String experiment, String user, String unit) {
        Map<String, Object> merged = new LinkedHashMap<>();
        try {
            if (defaults != null) merged.putAll(defaults);
        } catch (Throwable unreadable) {
            settings.log.count("defaults could not be read");
        }
        return VariantContent.over(
                merged,
                assign(experiment, user, unit),
                (name, kinds) -> warnOnce(
                        experiment + ": the variable " + name + " is of kind " + kinds + "; the default is used"));
    }

    /** Returns how many events the service refused since the last call, by its reasons. */
    public Map<String, Integer> takeRejected() {
        return background.takeRejected();
    }

    @Override
    public void track(String event, Map<String, ?> payload) {
        if (isClosed) settings.log.once(Level.WARNING, "track after close ignored");
        else enqueue(event, payload);
    }

    /** Tracks an event. Fills in the context's run and unit, unless the event names its own. */
    public void trackHere(String event, Map<String, ?> payload) {
        track(event, placed(payload));
    }

    private Map<String, ?> placed(Map<String, ?> payload) {
        try {
            ConfigSnapshot snapshot = background.snapshot();
            Object named = payload.get("experiment_id");
            boolean isNamed = snapshot != null && named instanceof String;
            ConfigExperiment found = isNamed ? snapshot.find((String) named) : null;
            return UserContext.place(payload, found == null ? null : found.unit);
        } catch (Throwable callers) {
            // The payload is the caller's code and may throw. The event is sent or dropped as usual.
            return payload;
        }
    }

    @Override
    public Mask mask() {
        return settings.mask;
    }

    @Override
    public void warnOnce(String message) {
        settings.log.once(Level.WARNING, message);
    }

    /**
     * Runs {@code settle} before each flush. It records a call that has ended but is not recorded yet: a
     * thread that waits for a stage may continue before the stage's callbacks run. {@code settle} is held
     * weakly.
     */
    @Override
    public void beforeFlush(Runnable settle) {
        synchronized (unsettled) {
            unsettled.put(settle, true);
        }
    }

    private void settle() {
        List<Runnable> all;
        synchronized (unsettled) {
            all = new ArrayList<>(unsettled.keySet());
        }
        all.forEach(Runnable::run);
    }

    /**
     * Waits for the config with the experiments of the settings; false at the deadline or when
     * closed; true at once when offline.
     */
    public boolean awaitReady(Duration timeout) {
        if (settings.offline) return true;
        return background.waitFor(bounded(timeout), () -> {
            List<String> missing = missing();
            if (missing != null && missing.isEmpty()) return true;
            return isClosed ? false : null;
        });
    }

    /** Returns what was tracked, oldest first; empty unless the settings have a list for it. */
    public List<Map<String, Object>> recorded() {
        List<Map<String, Object>> events = new ArrayList<>();
        if (settings.recorded == null) return events;
        for (KeptEvent row : settings.recorded) {
            events.add(Fields.of(Json.parse(new String(row.row, StandardCharsets.UTF_8))));
        }
        return events;
    }

    /** Returns the current config as JSON text; null before one is loaded. */
    public String configSnapshot() {
        ConfigSnapshot snapshot = background.snapshot();
        return snapshot == null ? null : Json.write(snapshot.body);
    }

    /** Lists the experiments of the current config, with the fields that describe them; null until one is loaded. */
    public List<Map<String, Object>> experiments() {
        ConfigSnapshot snapshot = background.snapshot();
        if (snapshot == null) return null;
        List<Map<String, Object>> experiments = new ArrayList<>();
        for (Object listed : (List<?>) Fields.of(snapshot.body).get("experiments")) {
            Map<String, Object> experiment = new LinkedHashMap<>(Fields.of(listed));
            experiment.keySet().retainAll(Set.of("id", "name", "status", "version", "shipped", "unit"));
            experiments.add(experiment);
        }
        return experiments;
    }

    /**
     * Sends everything tracked before the call; false when some of it was lost, or at the
     * deadline.
     */
    public boolean flush(Duration timeout) {
        settle();
        return background.flush(bounded(timeout));
    }

    /** Flushes as {@link #flush} does, and ends the client's work. */
    public boolean close(Duration timeout) {
        settle();
        isClosed = true;
        boolean isDelivered = background.close(bounded(timeout));
        settings.log.close();
        return isDelivered;
    }

    /** Limits a duration to what fits into a long of nanoseconds. */
    private static Duration bounded(Duration timeout) {
        if (timeout == null || timeout.isNegative()) return Duration.ZERO;
        return timeout.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : timeout;
    }

    private void recordExposure(Assignment found, String user, String unit) {
        String arm = found.variant.arm;
        String assigned = unit == null ? user : unit;
        try {
            // Does not depend on the config version: each exposure is billed, and an edit of another
            // experiment must not cause a new one.
            if (!exposures.claim(arm, assigned, settings.clock.millis())) return;
        } catch (Throwable brokenClock) {
            settings.log.count("event dropped, the clock threw");
            return;
        }
        Map<String, Object> exposure = new LinkedHashMap<>();
        exposure.put("experiment_id", found.experimentId);
        exposure.put("user_id", user);
        if (unit != null) exposure.put("unit_id", unit);
        exposure.put("variant", found.variant.key);
        // An exposure that did not fit into the queue is tried again at the next assign.
        if (!enqueue("exposure", UserContext.place(exposure, null))) exposures.release(arm, assigned);
    }

    /** Payloads, clocks and id makers are the caller's code and may throw. The error must never reach the caller. */
    private boolean enqueue(String event, Map<String, ?> payload) {
        try {
            names.check(event, payload, background.snapshot());
            Map<String, ?> marked = settings.overrides.mark(payload, background.snapshot());
            KeptEvent row = EventRow.of(event, marked, settings.clock::millis, settings.newId);
            if (!settings.offline) return background.add(row);
            if (settings.recorded != null) settings.recorded.add(row);
            return true;
        } catch (UnsendableEventException unsendable) {
            settings.log.count("event dropped, " + unsendable.getMessage());
        } catch (Throwable callers) {
            settings.log.count("event dropped, not JSON");
        }
        return false;
    }

    private void noteLoaded() {
        List<String> missing = missing();
        if (missing == null) return;
        for (String name : missing) warnOfMissing(name);
    }

    private void warnOfMissing(String experiment) {
        String message = "config has no experiment " + experiment;
        settings.log.once(Level.WARNING, message.substring(0, Math.min(message.length(), LONGEST_WARNING)));
    }

    /** The experiments of the settings that are not in the config; null without a config. */
    private List<String> missing() {
        // The background may call back before the constructor has set this field.
        ConfigSnapshot snapshot = background == null ? null : background.snapshot();
        if (snapshot == null) return null;
        List<String> missing = new ArrayList<>();
        for (String name : settings.experiments) if (snapshot.find(name) == null) missing.add(name);
        return missing;
    }
}
