/** Records what an agent does besides its model calls: its calls of tools, and the end of its runs. */

import {
  type AgentScope,
  startTool,
  type ToolCallFacts,
  trackRunEnd,
  trackToolCall,
} from "./agent-events.ts";
import type { CallOptions, Client } from "./client.ts";
import { observeResult } from "./model-call/observe-result.ts";

export type { ToolCallFacts } from "./agent-events.ts";

export interface AgentOptions extends Pick<CallOptions, "user"> {
  /** The agent's name, for applications with several. */
  readonly agentName?: string | undefined;
}

/** Records tool calls and ends of runs. What is not the client's to record (see `wrap`) is done all the same. */
export interface Agent {
  /**
   * Runs a tool and records a `tool_call`. Returns or throws exactly what `call` does; a promise is watched until it settles.
   * `args` is what the tool was called with: a text, or anything that JSON can hold.
   */
  callTool<T>(name: string, call: () => T, args?: unknown): T;
  /** Records a tool call that has ended. Never throws. */
  trackToolCall(name: string, facts?: ToolCallFacts): void;
  /** Records the end of the run of `withRun`, or of another one. Never throws. */
  endRun(end?: RunEnd): void;
}

export interface RunEnd {
  /** Whether the agent did what it was asked to; default true. */
  readonly completed?: boolean | undefined;
  /** The run's id; default: that of `withRun`. */
  readonly run?: string | undefined;
}

/**
 * Returns what records the tool calls and runs of an agent, for an experiment and the user of `withUser`.
 *
 * @example
 * const support = agent(client, "greeting");
 * await client.withRun("run-4", async () => {
 *   await support.callTool("search", () => search("buckets"), "buckets");
 *   support.endRun();
 * });
 */
export function agent(client: Client, experiment: string, options?: AgentOptions): Agent {
  const scope: AgentScope = { client, experiment, ...options };
  return {
    callTool(name, call, args) {
      const record = startTool(scope, name, args);
      if (!record) return call();
      let result: ReturnType<typeof call>;
      try {
        result = call();
      } catch (error) {
        return record.fail(error);
      }
      try {
        return observeResult(result, { args: [], isRefusal: () => false, ...record });
      } catch {
        // A frozen result cannot be watched. The caller still gets it.
        return result;
      }
    },
    trackToolCall: (name, facts) => trackToolCall(scope, name, facts ?? {}),
    endRun: (end) => trackRunEnd(scope, end?.completed !== false, end?.run),
  };
}
