package dev.assay.internal.config;

import dev.assay.internal.log.ClientLog;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Warns, once per name, about business events that no metric of their experiment reads. */
public final class MetricNames {
    /** Limited, because a name may come from data, and the log remembers its messages. */
    private static final int MAX_NAMES = 100;

    private static final int LONGEST = 500;

    private final ClientLog log;
    private final Set<String> said = ConcurrentHashMap.newKeySet();

    public MetricNames(ClientLog log) {
        this.log = log;
    }

    /** Looks at an event that is about to be sent. Never throws. */
    public void check(String event, Map<String, ?> payload, ConfigSnapshot snapshot) {
        try {
            if (snapshot == null || !"business_event".equals(event)) return;
            Object experiment = payload.get("experiment_id");
            Object name = payload.get("business_metric");
            if (!(experiment instanceof String) || !(name instanceof String)) return;
            ConfigExperiment found = snapshot.find((String) experiment);
            if (found == null || found.businessMetrics == null || found.businessMetrics.contains(name)) return;
            if (said.size() >= MAX_NAMES) return;
            String message = experiment + ": no metric reads the business_metric " + name;
            String shortened = message.substring(0, Math.min(message.length(), LONGEST));
            if (said.add(shortened)) log.once(Level.WARNING, shortened);
        } catch (Throwable callers) {
            // The caller's objects may throw anything. The event is sent or dropped as usual.
        }
    }
}
