package dev.assay.internal.modelcall;

import dev.assay.CallOptions;
import dev.assay.Mask;
import dev.assay.internal.config.Assignment;
import dev.assay.internal.config.Fields;
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
    private final Map<String, Object> identity;
    private final String experimentId;
    private final long startedAt;
    private final Map<String, Object> metadata;
    private final AtomicBoolean isFinished = new AtomicBoolean();
    private volatile double firstTokenMs = -1;

    private CallRecord(
            Host host, Assignment assignment, String user, String unit, String run, Map<String, Object> metadata) {
        this.host = host;
        this.metadata = metadata;
        experimentId = assignment.experimentId;
        identity = identityOf(assignment, user, unit, run);
        startedAt = System.nanoTime();
    }

    /** Returns the fields that identify an event's experiment, user, unit, run and variant. */
    static Map<String, Object> identityOf(Assignment assignment, String user, String unit, String run) {
        Map<String, Object> identity = new LinkedHashMap<>();
        identity.put("experiment_id", assignment.experimentId);
        identity.put("user_id", user);
        if (unit != null) identity.put("unit_id", unit);
        if (run != null) identity.put("run_id", run);
        identity.put("variant", assignment.variant.key);
        return identity;
    }

    /**
     * Starts recording a call for the user in the options or, without one, for the user of {@code withUser}.
     * Returns null if the call must not be recorded: the user has no variant, or an outer interception on this
     * thread already records it for the same experiment.
     */
    public static CallRecord start(Host host, String experiment, CallOptions options) {
        try {
            UserContext context = UserContext.current();
            String inContext = context.options.user();
            String user = options.user() == null ? inContext : options.user();
            if (user == null) {
                host.warnOnce("model call without a user: use withUser or CallOptions.user");
                return null;
            }
            Assignment assignment = host.findAssignment(experiment, user, options.unit());
            if (assignment == null || ObservedExperiments.contains(assignment.experimentId)) {
                return null;
            }
            Map<String, Object> metadata = new LinkedHashMap<>(options.metadata());
            if (user.equals(inContext)) metadata.putAll(context.options.metadata());
            if (context.conversation != null) metadata.put("conversation_id", context.conversation);
            String unit = UserContext.unit(assignment.unit, options.unit());
            CallRecord record = new CallRecord(host, assignment, user, unit, context.run, metadata);
            if (!assignment.variant.shipped) host.track("exposure", record.identity);
            return record;
        } catch (Throwable e) {
            return null;
        }
    }

    /** The canonical id of the experiment. */
    public String experimentId() {
        return experimentId;
    }

    /** Returns the milliseconds since the start, on a monotonic clock. */
    double sinceStartMs() {
        return (System.nanoTime() - startedAt) / 1e6;
    }

    /** Notes the time of the first token, once. */
    public void noteFirstToken() {
        if (firstTokenMs < 0) firstTokenMs = sinceStartMs();
    }

    /** The call ended, with these facts by field. */
    public void finish(Map<String, Object> facts) {
        finish(facts, sinceStartMs(), false);
    }

    /** The call ended this many milliseconds after its start. */
    void finish(Map<String, Object> facts, double latencyMs) {
        finish(facts, latencyMs, false);
    }

    /** The caller stopped reading before the end. */
    public void abort(Map<String, Object> facts) {
        finish(facts, sinceStartMs(), true);
    }

    /** The call threw. A call that the caller canceled does not count as failed. */
    public void fail(Throwable thrown, boolean isInterrupted, Map<String, Object> facts) {
        double latencyMs = sinceStartMs();
        boolean isAborted = isInterrupted || Failure.isAbort(thrown);
        Map<String, Object> known = new LinkedHashMap<>(facts);
        if (!isAborted) known.putIfAbsent("error_type", Failure.typeOf(thrown));
        finish(known, latencyMs, isAborted);
    }

    private void finish(Map<String, Object> facts, double latencyMs, boolean isAborted) {
        if (!isFinished.compareAndSet(false, true)) {
            return;
        }
        try {
            Map<String, Object> event = new LinkedHashMap<>(facts);
            event.putAll(identity);
            event.put("error", event.containsKey("error_type"));
            event.computeIfPresent("error_type", (field, type) -> Failure.shorten((String) type));
            Map<String, Object> read = Fields.of(event.remove("metadata"));
            Object outcome = isAborted ? "aborted" : read.get("outcome");
            if (!WireReader.BACKGROUND.equals(outcome)) {
                event.put("latency_ms", latencyMs);
            }
            if (firstTokenMs >= 0) event.put("time_to_first_token_ms", firstTokenMs);
            event.computeIfPresent("prompt", (field, text) -> textToSend(host, (String) text, Mask.Part.PROMPT));
            event.computeIfPresent("response", (field, text) -> textToSend(host, (String) text, Mask.Part.RESPONSE));
            Map<String, Object> told = new LinkedHashMap<>(read);
            told.putAll(metadata);
            if (outcome != null) told.put("outcome", outcome);
            if (!told.isEmpty()) event.put("metadata", told);
            host.track("model_call", event);
        } catch (Throwable e) {
            warnOnce("model call could not be recorded");
        }
    }

    /** Returns the masked and bounded text; null: the text is not sent. */
    static String textToSend(Host host, String text, Mask.Part part) {
        String masked = text;
        Mask mask = host.mask();
        if (mask != null) {
            try {
                masked = mask.mask(masked, part);
            } catch (Throwable e) {
                host.warnOnce("mask threw");
                return null;
            }
        }
        return masked == null || masked.isEmpty() ? null : CallText.bound(masked);
    }

    public void warnOnce(String message) {
        try {
            host.warnOnce(message);
        } catch (Throwable e) {
            // There is nowhere left to report this.
        }
    }
}
