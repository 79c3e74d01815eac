import type { Client } from "./client.ts";
import type { EventPayload } from "./event-row.ts";
import { isText, textOr } from "./fields.ts";
import { errorTypeOf, maskedText } from "./model-call/call-record.ts";
import { toText } from "./model-call/call-text.ts";
import { type Subject, userOf } from "./subject.ts";

/** The service refuses longer names. */
const MAX_NAME = 200;

/** Whose tool calls and runs these are. */
export interface AgentScope {
  readonly client: Client;
  /** Its name or id. */
  readonly experiment: string;
  /** Default: the user of the context. */
  readonly user?: string | Subject | undefined;
  readonly agentName?: string | undefined;
  /** The run of a framework: that of the context takes precedence. */
  readonly run?: string | undefined;
}

/** What is known about a tool call, by the names that `track` takes. */
export interface ToolCallFacts {
  readonly latency_ms?: number | undefined;
  /** Default: whether there is an `error_type`. */
  readonly error?: boolean | undefined;
  readonly error_type?: string | undefined;
  /** A text, or anything that JSON can hold. */
  readonly tool_arguments?: unknown;
  readonly tool_result?: unknown;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** A tool that runs. Whichever method comes first records it. */
export interface ToolCall {
  /** It has ended with these facts. */
  endAs(facts: ToolCallFacts): void;
  /** It returned. */
  finishWith(result: unknown): void;
  /** A part of what it returned has arrived. */
  take(chunk: unknown): unknown;
  /** It returned in parts, and they have ended; `isAborted`: the caller did not want the rest. */
  finish(isAborted?: unknown): void;
  /** It threw this, which is thrown again. A tool that the caller gave up has not failed. */
  fail(error: unknown): never;
}

/** Starts the record of a tool call; null when it is not to be recorded. */
export function startTool(scope: AgentScope, name: string, args: unknown): ToolCall | null {
  const identity = identify(scope, "tool call");
  if (!identity) return null;
  const startedAt = performance.now();
  // What the tool does with them does not count.
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

/** What a tool that threw this came to. One that the caller gave up has not failed. */
export function endedBy(error: unknown): ToolCallFacts {
  const error_type = errorTypeOf(error);
  return /abort/i.test(error_type) ? aborted : { error_type };
}

/** Records a tool call that has ended. */
export function trackToolCall(scope: AgentScope, name: string, facts: ToolCallFacts): void {
  const identity = identify(scope, "tool call");
  if (identity) record(scope, name, identity, facts);
}

/** A run of a framework: `isOwn` outside of `withRun`, where it has an id of the framework's. */
export interface FrameworkRun extends AgentScope {
  readonly run: string;
  readonly isOwn: boolean;
}

/** Starts a run of a framework, for the user and the unit of the context; null when it is not to be recorded. */
export function startRun(scope: AgentScope, id: string): FrameworkRun | null {
  const identity = identify(scope, "run");
  if (!identity) return null;
  const { user_id: user, unit_id: unit, run_id: outer } = identity;
  return { ...scope, user: { user, unit }, run: outer ?? id, isOwn: !outer };
}

/** Ends a run of a framework. One within another run ends with that one. */
export function endOwnRun(run: FrameworkRun | null | undefined, completed: boolean): void {
  if (run?.isOwn) trackRunEnd(run, completed);
}

/** Records the end of a run: of this one, or of that of the context. */
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
    // What goes into a tool and what comes out of it: masks know the parts of a model call.
    tool_arguments: maskedText(client, "prompt", textOf(facts.tool_arguments)),
    tool_result: maskedText(client, "response", textOf(facts.tool_result)),
    metadata: facts.metadata,
  });
}

/** Returns whose events these are; null when they are not to be recorded. */
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

/** A text, or the JSON of anything else; none for what JSON cannot hold. */
function textOf(value: unknown): string | undefined {
  try {
    return value == null ? undefined : toText(value);
  } catch {
    return undefined;
  }
}
