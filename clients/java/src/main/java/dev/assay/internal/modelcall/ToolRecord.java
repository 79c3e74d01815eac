package dev.assay.internal.modelcall;

import dev.assay.CallOptions;
import dev.assay.Mask;
import dev.assay.Work;
import dev.assay.internal.config.Assignment;
import dev.assay.internal.wire.CallText;
import java.util.LinkedHashMap;
import java.util.Map;

/** A tool call of an agent, and the end of its run. Throws nothing but what the tool throws. */
public final class ToolRecord {
    private final Host host;
    private final Map<String, Object> event;
    private final long startedAt = System.nanoTime();

    private ToolRecord(Host host, Map<String, Object> event) {
        this.host = host;
        this.event = event;
    }

    /** Starts the record of a tool call; null if the call must not be recorded. */
    public static ToolRecord start(Host host, String experiment, CallOptions options, String agent, String tool) {
        Map<String, Object> event = identify(host, experiment, options, "tool call");
        if (event == null) return null;
        if (tool == null || tool.isEmpty()) {
            host.warnOnce("tool call without a name");
            return null;
        }
        event.put("tool_name", Failure.shorten(tool));
        if (agent != null && !agent.isEmpty()) event.put("agent_name", Failure.shorten(agent));
        return new ToolRecord(host, event);
    }

    /** Runs the tool, and tracks its call if there is a record. */
    public static <T, E extends Exception> T run(ToolRecord record, Work<T, E> call, Object arguments) throws E {
        if (record == null) return call.run();
        Map<String, Object> facts = new LinkedHashMap<>();
        // Read before the call, because the tool may change them.
        facts.put("tool_arguments", textOf(arguments));
        try {
            T result = call.run();
            record.end(facts);
            facts.put("tool_result", result);
            return result;
        } catch (Throwable thrown) {
            record.end(facts);
            boolean isAborted = Thread.currentThread().isInterrupted() || Failure.isAbort(thrown);
            if (isAborted) facts.put("metadata", Map.of("outcome", "aborted"));
            else facts.put("error_type", Failure.typeOf(thrown));
            throw thrown;
        } finally {
            record.track(facts);
        }
    }

    private void end(Map<String, Object> facts) {
        facts.put("latency_ms", (System.nanoTime() - startedAt) / 1e6);
    }

    /** Tracks the tool call with these facts. */
    public void track(Map<String, ?> facts) {
        try {
            Map<String, ?> known = facts == null ? Map.of() : facts;
            Object type = known.get("error_type");
            boolean isError = type instanceof String && !((String) type).isEmpty();
            Object error = known.get("error");
            put("latency_ms", known.get("latency_ms"));
            put("error", error == null ? isError : error);
            put("error_type", isError ? Failure.shorten((String) type) : null);
            // Masks only know the parts of a model call: a tool's input counts as PROMPT, its output as RESPONSE.
            put("tool_arguments", text(known.get("tool_arguments"), Mask.Part.PROMPT));
            put("tool_result", text(known.get("tool_result"), Mask.Part.RESPONSE));
            put("metadata", known.get("metadata"));
            host.track("tool_call", event);
        } catch (Throwable e) {
            host.warnOnce("tool call could not be recorded");
        }
    }

    private void put(String field, Object value) {
        if (value != null) event.put(field, value);
    }

    private String text(Object value, Mask.Part part) {
        String text = textOf(value);
        return text == null || text.isEmpty() ? null : CallRecord.textToSend(host, text, part);
    }

    /** Returns a text unchanged, and anything else as JSON; null if it cannot be written as JSON. */
    private static String textOf(Object value) {
        try {
            return CallText.of(value);
        } catch (Throwable notJson) {
            return null;
        }
    }

    /** Records the end of the given run. */
    public static void endRun(Host host, String experiment, CallOptions options, boolean completed, String run) {
        UserContext.inRun(run, () -> {
            endRun(host, experiment, options, completed);
            return null;
        });
    }

    /** Records the end of the context's run. */
    public static void endRun(Host host, String experiment, CallOptions options, boolean completed) {
        Map<String, Object> event = identify(host, experiment, options, "run");
        if (event == null) return;
        if (event.containsKey("run_id")) {
            event.put("completed", completed);
            host.track("run_end", event);
        } else {
            host.warnOnce("the end of a run without its id: use withRun, or name the run");
        }
    }

    /** Returns the event's identifying fields; null if the event must not be recorded. */
    private static Map<String, Object> identify(Host host, String experiment, CallOptions options, String what) {
        UserContext context = UserContext.current();
        String user = options.user() == null ? context.options.user() : options.user();
        if (user == null) {
            host.warnOnce(what + " without a user: use withUser or subject");
            return null;
        }
        Assignment found = host.findAssignment(experiment, user, options.unit());
        if (found == null) return null;
        return CallRecord.identityOf(found, user, UserContext.unit(found.unit, options.unit()), context.run);
    }
}
