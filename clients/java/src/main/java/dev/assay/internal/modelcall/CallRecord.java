package dev.assay.internal.modelcall;

import dev.assay.Mask;
import dev.assay.ModelCallFacts;
import dev.assay.internal.config.Assignment;
import dev.assay.internal.wire.CallText;
import dev.assay.internal.wire.WireReader;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A model call in progress. Tracks its exposure at the start and its {@code model_call} once, when it ends.
 * Never throws.
 */
public final class CallRecord {
    private final Host host;
    private final Map<String, Object> identity = new LinkedHashMap<>();
    private final String experimentId;
    private final long startedAt;
    private final AtomicBoolean isFinished = new AtomicBoolean();

    private CallRecord(Host host, Assignment assignment, String user) {
        this.host = host;
        experimentId = assignment.experimentId;
        identity.put("experiment_id", experimentId);
        identity.put("user_id", user);
        identity.put("variant", assignment.variant.key);
        startedAt = System.nanoTime();
    }

    /**
     * Starts recording a call. Returns null when the call is not to be recorded: the user has no variant, or
     * an outer interception on this thread records it for the same experiment.
     */
    public static CallRecord start(Host host, String experiment, String user) {
        try {
            if (user == null) {
                host.warnOnce("model call without a user");
                return null;
            }
            Assignment assignment = host.findAssignment(experiment, user);
            if (assignment == null || ObservedExperiments.contains(assignment.experimentId)) {
                return null;
            }
            CallRecord record = new CallRecord(host, assignment, user);
            if (!assignment.variant.shipped) host.track("exposure", record.identity);
            return record;
        } catch (Throwable e) {
            return null;
        }
    }

    /** The canonical id of the experiment. */
    String experimentId() {
        return experimentId;
    }

    /** Returns the milliseconds since the start, on a monotonic clock. */
    double sinceStartMs() {
        return (System.nanoTime() - startedAt) / 1e6;
    }

    /** The call returned after this many milliseconds. */
    void finish(ModelCallFacts facts, double latencyMs) {
        finish(facts, latencyMs, false);
    }

    /** The call threw. A call that the caller gave up does not count as failed. */
    void fail(Throwable thrown, boolean isInterrupted) {
        double latencyMs = sinceStartMs();
        boolean isAborted = isInterrupted || Failure.isAbort(thrown);
        String type = isAborted ? null : Failure.typeOf(thrown);
        finish(ModelCallFacts.builder().errorType(type).build(), latencyMs, isAborted);
    }

    private void finish(ModelCallFacts facts, double latencyMs, boolean isAborted) {
        if (!isFinished.compareAndSet(false, true)) {
            return;
        }
        try {
            Map<String, Object> event = new LinkedHashMap<>(facts.fields());
            event.putAll(identity);
            event.put("error", event.containsKey("error_type"));
            event.computeIfPresent("error_type", (field, type) -> Failure.shorten((String) type));
            if (!WireReader.BACKGROUND.equals(event.get("metadata"))) {
                event.put("latency_ms", latencyMs);
            }
            event.computeIfPresent("prompt", (field, text) -> textToSend(text, Mask.Part.PROMPT));
            event.computeIfPresent("response", (field, text) -> textToSend(text, Mask.Part.RESPONSE));
            if (isAborted) {
                event.put("metadata", Map.of("outcome", "aborted"));
            }
            host.track("model_call", event);
        } catch (Throwable e) {
            warnOnce("model call could not be recorded");
        }
    }

    /** Returns the masked and bounded text; null: the text is not sent. */
    private String textToSend(Object text, Mask.Part part) {
        String masked = (String) text;
        Mask mask = host.mask();
        if (mask != null) {
            try {
                masked = mask.mask(masked, part);
            } catch (Throwable e) {
                warnOnce("mask threw");
                return null;
            }
        }
        return masked == null || masked.isEmpty() ? null : CallText.bound(masked);
    }

    void warnOnce(String message) {
        try {
            host.warnOnce(message);
        } catch (Throwable e) {
            // There is nowhere left to report this.
        }
    }
}
