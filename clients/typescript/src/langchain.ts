/** Observes model calls made through LangChain, and the tools and runs of LangGraph. */

import { type AgentScope, endedBy, startTool, type ToolCall } from "./agent-events.ts";
import type { CallOptions, Client } from "./client.ts";
import { expectFrameworkCalls } from "./framework-calls.ts";
import { keepNewest } from "./keep-newest.ts";
import { type Ended, LangchainCall } from "./langchain-call.ts";
import { LangchainRuns } from "./langchain-runs.ts";
import { fieldAt, textAt } from "./model-call/foreign-value.ts";
import { langchainFormat, langchainRequest } from "./model-call/langchain-format.ts";

/** The part of a `@langchain/core` callback handler that is used here. */
export interface CallbackHandler {
  readonly name: string;
  /** True, so that LangChain calls the handler where it calls the model, and the user of `withUser` is known. */
  readonly awaitHandlers: boolean;
  copy(): CallbackHandler;
  handleChainStart(
    chain: unknown,
    inputs: unknown,
    runId: string,
    parentRunId?: string,
    tags?: unknown,
    metadata?: unknown,
  ): void;
  handleChainEnd(outputs: unknown, runId: string): void;
  handleChainError(error: unknown, runId: string): void;
  handleToolStart(
    tool: unknown,
    input: string,
    runId: string,
    parentRunId?: string,
    tags?: unknown,
    metadata?: unknown,
    runName?: string,
  ): void;
  handleToolEnd(output: unknown, runId: string): void;
  handleToolError(error: unknown, runId: string): void;
  handleChatModelStart(
    model: unknown,
    messages: readonly (readonly unknown[])[],
    runId: string,
    parentRunId?: unknown,
    extra?: unknown,
    tags?: unknown,
    metadata?: unknown,
  ): void;
  handleLLMStart(
    model: unknown,
    prompts: readonly string[],
    runId: string,
    parentRunId?: unknown,
    extra?: unknown,
    tags?: unknown,
    metadata?: unknown,
  ): void;
  handleLLMNewToken(
    token: string,
    indices: unknown,
    runId: string,
    parentRunId?: unknown,
    tags?: unknown,
    fields?: unknown,
  ): void;
  handleLLMEnd(output: unknown, runId: string, parentRunId?: unknown, tags?: unknown, extra?: unknown): Ended;
  handleLLMError(error: unknown, runId: string): Ended;
}

/** The open calls and runs of an experiment. */
interface Open {
  readonly calls: Map<string, LangchainCall>;
  readonly tools: Map<string, ToolCall>;
  readonly runs: LangchainRuns;
}

/** By client and experiment, because a model and a graph may each have a handler. */
const opened = new WeakMap<Client, Map<string, Open>>();

function openOf(client: Client, experiment: string): Open {
  const all = opened.get(client) ?? new Map<string, Open>();
  opened.set(client, all);
  const open = all.get(experiment) ?? { calls: new Map(), tools: new Map(), runs: new LangchainRuns() };
  all.set(experiment, open);
  return open;
}

/**
 * Returns a handler for the `callbacks` of a model, a chain or a call. It records each model call as `client.wrap` does. An answer from
 * LangChain's cache does not count as a call. A stream that you stop reading is recorded as aborted 10 minutes after its last token, or
 * when you close the client. On a graph, the handler also records the tool calls and, outside of `withRun`, the end of each run.
 */
export function callbackHandler(client: Client, experiment: string, options?: CallOptions): CallbackHandler {
  const { calls, tools, runs } = openOf(client, experiment);
  expectFrameworkCalls(client);
  const scope: AgentScope = { client, experiment, user: options?.user };
  const start = (
    model: unknown,
    input: unknown,
    id: string,
    parent: unknown,
    extra: unknown,
    metadata: unknown,
  ) => {
    if (calls.has(id)) return;
    const started = { model, input, extra, metadata };
    const { run, agentName } = runs.place(scope, parent, metadata);
    const format = langchainFormat(started, agentName);
    const args = [langchainRequest(started)];
    const call = { ...options, experiment, run, format, args };
    keepNewest(calls, id, new LangchainCall(client, call, () => calls.delete(id)));
  };
  const closed = <Kind>(open: Map<string, Kind>, id: string): Kind | undefined => {
    const found = open.get(id);
    open.delete(id);
    return found;
  };
  const handler: CallbackHandler = {
    name: `assay ${experiment}`,
    awaitHandlers: true,
    copy: () => handler,
    handleChainStart: (_chain, _inputs, id, parent, _tags, metadata) =>
      runs.start(scope, id, parent, metadata),
    handleChainEnd: (_outputs, id) => runs.end(id, true),
    handleChainError: (_error, id) => runs.end(id, false),
    handleToolStart(serialized, input, id, parent, _tags, metadata, runName) {
      if (tools.has(id)) return;
      const name = textAt(serialized, "name") || runName || "";
      const tool = startTool(runs.place(scope, parent, metadata), name, input);
      if (tool) keepNewest(tools, id, tool);
    },
    handleToolEnd(output, id) {
      const isError = fieldAt(output, "status") === "error";
      const tool_result = fieldAt(output, "content") ?? output;
      closed(tools, id)?.endAs({ tool_result, ...(isError && { error: true }) });
    },
    handleToolError: (error, id) => closed(tools, id)?.endAs(endedBy(error)),
    handleChatModelStart: (model, [messages], id, parent, extra, _tags, metadata) =>
      start(model, messages, id, parent, extra, metadata),
    handleLLMStart: (model, [prompt], id, parent, extra, _tags, metadata) =>
      start(model, prompt, id, parent, extra, metadata),
    handleLLMNewToken: (token, _indices, id, _parent, _tags, fields) =>
      calls.get(id)?.take(token, fieldAt(fields, "chunk")),
    handleLLMEnd: (output, id, _parent, _tags, extra) => {
      const call = closed(calls, id);
      return fieldAt(extra, "cached") ? undefined : call?.end(output);
    },
    handleLLMError: (error, id) => closed(calls, id)?.fail(error),
  };
  return handler;
}
