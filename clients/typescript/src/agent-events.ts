import type { Client } from "./client.ts";
import type { EventPayload } from "./event-row.ts";
import { isText, textOr } from "./fields.ts";
import { errorTypeOf, maskedText } from "./model-call/call-record.ts";
import { toText } from "./model-call/call-text.ts";
import { type Subject, userOf } from "./subject.ts";

/** The service rejects longer names. */
const MAX_NAME = 200;

/** The user and experiment of tool calls and runs. */
export interface AgentScope {
  readonly client: Client;
  /** Its name or id. */
  readonly experiment: string;
  /** Default: the context's user. */
  readonly user?: string | Subject | undefined;
  readonly agentName?: string | undefined;
  /** The id of a framework's run. The context's run takes precedence. */
  readonly run?: string | undefined;
}

/** What is known about a tool call. The names are those of `track`. */
export interface ToolCallFacts {
  readonly latency_ms?: number | undefined;
  /** Default: true if there is an `error_type`. */
  readonly error?: boolean | undefined;
  readonly error_type?: string | undefined;
  /** A text, or anything that JSON can hold. */
  readonly tool_arguments?: unknown;
  readonly tool_result?: unknown;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** A running tool. The first of these methods to be called records it. */
export interface ToolCall {
  /** The tool has ended with these facts. */
  endAs(facts: ToolCallFacts): void;
  /** The tool returned this. */
  finishWith(result: unknown): void;
  /** A part of the tool's result has arrived. */
  take(chunk: unknown): unknown;
  /** All parts of the result have arrived. `isAborted`: the caller did not want the rest. */
  finish(isAborted?: unknown): void;
  /** The tool threw this error, which is thrown again. A tool that the caller canceled has not failed. */
  fail(error: unknown): never;
}

/** Starts the record of a tool call; null when it is not to be recorded. */
export function startTool(scope: AgentScope, name: string, args: unknown): ToolCall | null {
  const identity = identify(scope, "tool call");
  if (!identity) return null;
  const startedAt = performance.now();
  // Converted now, so that changes made by the tool do not count.
  const tool_arguments = textOf(args);
  let isFinished = false;
  const finish = (facts: ToolCallFacts) => {
    const latency_ms = performance.now() - startedAt;
    if (!isFinished) record(scope, name, identity, { latency_ms, tool_arguments, ...facts });
    isFinished = true;
  };
  return {
    endAs: finish,
    finishWith: (tool_result) => finish({ tool_result }),
    take: () => false,
    finish: (isAborted) => finish(isAborted ? aborted : {}),
    fail: (error) => {
      finish(endedBy(error));
      throw error;
    },
  };
}

const aborted = { metadata: { outcome: "aborted" } };

/** Describes the end of a tool that threw this error. A tool that the caller canceled has not failed. */
export function endedBy(error: unknown): ToolCallFacts {
  const error_type = errorTypeOf(error);
  return /abort/i.test(error_type) ? aborted : { error_type };
}

/** Records a tool call that has ended. */
export function trackToolCall(scope: AgentScope, name: string, facts: ToolCallFacts): void {
  const identity = identify(scope, "tool call");
  if (identity) record(scope, name, identity, facts);
}

/** A run of a framework. `isOwn` is true outside of `withRun`; the run then has the framework's id. */
export interface FrameworkRun extends AgentScope {
  readonly run: string;
  readonly isOwn: boolean;
}

/** Starts a framework's run for the context's user and unit. Null when it should not be recorded. */
export function startRun(scope: AgentScope, id: string): FrameworkRun | null {
  const identity = identify(scope, "run");
  if (!identity) return null;
  const { user_id: user, unit_id: unit, run_id: outer } = identity;
  return { ...scope, user: { user, unit }, run: outer ?? id, isOwn: !outer };
}

/** Ends a framework's run. A run within another run ends with the outer one. */
export function endOwnRun(run: FrameworkRun | null | undefined, completed: boolean): void {
  if (run?.isOwn) trackRunEnd(run, completed);
}

/** Records the end of the given run, or else of the context's run. */
export function trackRunEnd(scope: AgentScope, completed: boolean, run?: string): void {
  if (run !== undefined) {
    scope.client.withRun(run, () => trackRunEnd(scope, completed));
    return;
  }
  const identity = identify(scope, "run");
  if (identity?.run_id) scope.client.track("run_end", { ...identity, completed });
  else if (identity) scope.client.warn("the end of a run without its id: use withRun or {run}");
}

function record(scope: AgentScope, name: string, identity: EventPayload, facts: ToolCallFacts): void {
  const { client, agentName } = scope;
  if (!isText(name) || !name) {
    client.warn("tool call without a name");
    return;
  }
  const error_type = textOr(facts.error_type, "").slice(0, MAX_NAME) || undefined;
  client.track("tool_call", {
    ...identity,
    tool_name: name.slice(0, MAX_NAME),
    agent_name: textOr(agentName, "").slice(0, MAX_NAME) || undefined,
    latency_ms: facts.latency_ms,
    error: facts.error ?? error_type !== undefined,
    error_type,
    // Masks know only the two sides of a model call: arguments count as its prompt, results as its response.
    tool_arguments: maskedText(client, "prompt", textOf(facts.tool_arguments)),
    tool_result: maskedText(client, "response", textOf(facts.tool_result)),
    metadata: facts.metadata,
  });
}

/** Returns the ids for the events. Null when they should not be recorded. */
function identify({ client, experiment, user: said, run }: AgentScope, what: string): EventPayload | null {
  const user = userOf((said ?? client.unitOf("user", {})) as string);
  if (user == null) {
    client.warn(`${what} without a user: use withUser or {user}`);
    return null;
  }
  const found = client.findAssignment(experiment, { user, unit: (said as Subject | undefined)?.unit });
  return (
    found && {
      experiment_id: found.experimentId,
      user_id: user,
      unit_id: found.unit,
      run_id: textOr(client.unitOf("run", {}), "") || run,
      variant: found.variant.key,
    }
  );
}

/** A text, or anything else as JSON. Undefined if JSON cannot hold it. */
function textOf(value: unknown): string | undefined {
  try {
    return value == null ? undefined : toText(value);
  } catch {
    return undefined;
  }
}
