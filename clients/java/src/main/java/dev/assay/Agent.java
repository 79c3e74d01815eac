package dev.assay;

import dev.assay.internal.modelcall.Host;
import dev.assay.internal.modelcall.ToolRecord;
import java.util.Map;

/**
 * Records what an agent does besides its model calls: its tool calls and the ends of its runs. See {@link
 * AssayClient#agent}. Without a known user, or for a user without a variant, tools still run but nothing is recorded.
 * No method throws an exception of its own. Immutable.
 *
 * <pre>{@code
 * Agent support = assay.agent("greeting");
 * String found = support.callTool("search", () -> search("buckets"), "buckets");
 * support.endRun();
 * }</pre>
 */
public final class Agent {
    private final Host host;
    private final String experiment;
    private final CallOptions options;
    private final String name;

    Agent(Host host, String experiment, CallOptions options, String name) {
        this.host = host;
        this.experiment = experiment;
        this.options = options;
        this.name = name;
    }

    /**
     * Sets the agent's name, for applications with several.
     *
     * @param agentName the name; null: not known
     * @return a copy
     */
    public Agent named(String agentName) {
        return new Agent(host, experiment, options, agentName);
    }

    /**
     * Runs a tool on this thread and records a {@code tool_call}.
     *
     * @param <T> what the tool returns
     * @param <E> what the tool throws
     * @param tool its name
     * @param call runs the tool
     * @return exactly what the tool returns
     * @throws E exactly what the tool throws
     */
    public <T, E extends Exception> T callTool(String tool, Work<T, E> call) throws E {
        return callTool(tool, call, null);
    }

    /**
     * Runs a tool as {@link #callTool(String, Work)} does.
     *
     * @param <T> what the tool returns
     * @param <E> what the tool throws
     * @param tool its name
     * @param call runs the tool
     * @param arguments what the tool is called with: a text, or anything that JSON can hold; null: not known
     * @return exactly what the tool returns
     * @throws E exactly what the tool throws
     */
    public <T, E extends Exception> T callTool(String tool, Work<T, E> call, Object arguments) throws E {
        return ToolRecord.run(start(tool), call, arguments);
    }

    /**
     * Records a tool call that has ended.
     *
     * @param tool its name
     * @param facts any of {@code latency_ms}, {@code error}, {@code error_type}, {@code tool_arguments}, {@code
     *     tool_result}, {@code metadata}; null: nothing
     */
    public void trackToolCall(String tool, Map<String, ?> facts) {
        ToolRecord record = start(tool);
        if (record != null) record.track(facts);
    }

    /** Records that the run of {@link AssayClient#withRun} has ended and that the agent did what it was asked to do. */
    public void endRun() {
        endRun(true);
    }

    /**
     * Records that the run of {@link AssayClient#withRun} has ended.
     *
     * @param completed whether the agent did what it was asked to do
     */
    public void endRun(boolean completed) {
        ToolRecord.endRun(host, experiment, options, completed);
    }

    /**
     * Records that a run has ended.
     *
     * @param completed whether the agent did what it was asked to do
     * @param run the run's id
     */
    public void endRun(boolean completed, String run) {
        ToolRecord.endRun(host, experiment, options, completed, run);
    }

    private ToolRecord start(String tool) {
        return ToolRecord.start(host, experiment, options, name, tool);
    }
}
