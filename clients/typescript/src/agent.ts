/** Records what an agent does besides its model calls: its tool calls and the ends of its runs. */

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

/** Records tool calls and ends of runs. Without a user or a variant, tools still run but nothing is recorded. */
export interface Agent {
  /**
   * Runs a tool and records a `tool_call`. Returns or throws exactly what `call` does; a promise is watched until it
   * settles. `args` are the tool's arguments: a text, or anything that JSON can hold.
   */
  callTool<T>(name: string, call: () => T, args?: unknown): T;
  /** Records a tool call that has ended. Never throws. */
  trackToolCall(name: string, facts?: ToolCallFacts): void;
  /** Records the end of the current `withRun` run, or of another one. Never throws. */
  endRun(end?: RunEnd): void;
}

export interface RunEnd {
  /** Whether the agent did what it was asked to do. Default: true. */
  readonly completed?: boolean | undefined;
  /** The run's id. Default: the id of `withRun`. */
  readonly run?: string | undefined;
}

/**
 * Returns a recorder for an agent's tool calls and runs, for an experiment and the user of `withUser`.
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
