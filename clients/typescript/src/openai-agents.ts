/** Observes the agents of the OpenAI Agents SDK. */

import {
  type AgentScope,
  endOwnRun,
  type FrameworkRun,
  startRun,
  startTool,
  type ToolCall,
} from "./agent-events.ts";
import type { CallOptions, Client } from "./client.ts";
import { expectFrameworkCalls } from "./framework-calls.ts";
import { keepNewest, MANY_PARTS } from "./keep-newest.ts";
import { messagesText } from "./model-call/call-text.ts";
import { fieldAt, textAt } from "./model-call/foreign-value.ts";
import { resultFormat } from "./model-call/known-results.ts";
import type { ModelCallFormat } from "./model-call/model-call-format.ts";

/** A processor for `addTraceProcessor` or `setTraceProcessors` of the `@openai/agents` package. */
export interface TracingProcessor {
  onTraceStart(trace: object): Promise<void>;
  onTraceEnd(trace: object): Promise<void>;
  onSpanStart(span: object): Promise<void>;
  onSpanEnd(span: object): Promise<void>;
  shutdown(): Promise<void>;
  forceFlush(): Promise<void>;
}

/** A part of a run: an agent, a turn, a call. */
interface Span {
  /** The name of the agent around it. */
  readonly agentName: string;
  readonly tool?: ToolCall | null;
  /** Ends the span's model call, with or without an error. */
  readonly end?: (span: object) => void;
}

interface Run {
  readonly scope: FrameworkRun;
  /** Whether an agent failed, or the last model call. */
  isFailed: boolean;
  isEnded: boolean;
}

/**
 * Returns a processor that records an exposure and a `model_call` for each model call of agents, and a `tool_call` for each function. Outside
 * of `withRun`, it also records the end of each trace as the end of a run. A call through a wrapped client counts once.
 */
export function tracingProcessor(
  client: Client,
  experiment: string,
  options?: CallOptions,
): TracingProcessor {
  expectFrameworkCalls(client);
  const runs = new Map<string, Run>();
  const spans = new Map<string, Span>();
  const start = (span: object): void => {
    const data = fieldAt(span, "spanData");
    const type = textAt(data, "type");
    const around = spans.get(textAt(span, "parentId"))?.agentName ?? "";
    const agentName = type === "agent" ? textAt(data, "name") : around;
    const run = runs.get(textAt(span, "traceId"));
    const scope: AgentScope | undefined = run && { ...run.scope, agentName };
    const started: Span = {
      agentName,
      ...(scope && type === "function" && { tool: startTool(scope, textAt(data, "name"), undefined) }),
      ...(scope && /^(generation|response)$/.test(type) && { end: startCall(scope) }),
    };
    keepNewest(spans, textAt(span, "spanId"), started, MANY_PARTS);
  };
  /** Starts a model call. The ended span has the facts. */
  const startCall = ({ user, run, agentName }: AgentScope) => {
    const { promise, resolve, reject } = makePromise();
    const format = formatOf(agentName);
    const call = { ...options, experiment, user, run, format, args: [], framework: { isAnswered: false } };
    client.observe(call, () => promise).catch(() => {});
    return (span: object) => (fieldAt(span, "error") ? reject(new Error()) : resolve(span));
  };
  const end = (span: object): void => {
    const id = textAt(span, "spanId");
    const known = spans.get(id);
    spans.delete(id);
    const run = runs.get(textAt(span, "traceId"));
    const data = fieldAt(span, "spanData");
    const isError = Boolean(fieldAt(span, "error"));
    if (run && known?.end) run.isFailed = isError;
    if (run && isError && textAt(data, "type") === "agent") run.isFailed = true;
    known?.end?.(span);
    known?.tool?.endAs({
      tool_arguments: fieldAt(data, "input"),
      tool_result: fieldAt(data, "output"),
      ...(isError && { error: true }),
    });
    // When a run throws, the SDK does not end its trace.
    if (run?.isFailed && !fieldAt(span, "parentId")) endRun(run);
  };
  const endRun = (run: Run): void => {
    if (!run.isEnded) endOwnRun(run.scope, !run.isFailed);
    run.isEnded = true;
  };
  return {
    async onTraceStart(trace) {
      const id = textAt(trace, "traceId");
      const scope = startRun({ client, experiment, user: options?.user }, id);
      if (scope) keepNewest(runs, id, { scope, isFailed: false, isEnded: false });
    },
    async onTraceEnd(trace) {
      const id = textAt(trace, "traceId");
      const run = runs.get(id);
      runs.delete(id);
      // Waits because the last model call is recorded by its promise.
      await Promise.resolve();
      if (run) endRun(run);
    },
    onSpanStart: async (span) => start(span),
    onSpanEnd: async (span) => end(span),
    async shutdown() {},
    async forceFlush() {},
  };
}

function makePromise() {
  let resolve: (span: object) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<object>((...settle) => {
    [resolve, reject] = settle;
  });
  return { promise, resolve, reject };
}

const KNOWN = resultFormat(undefined);

/** Makes the format of an ended span, which contains the provider's own answer. */
function formatOf(agentName: string | undefined): ModelCallFormat {
  return {
    provider: "openai",
    read: (span, reading) => {
      const data = fieldAt(span, "spanData");
      const { facts } = reading;
      if (agentName) facts.agent_name = agentName;
      reading.baseUrl = textAt(data, "model_config", "base_url");
      facts.requested_model = textAt(data, "model") || undefined;
      const input = fieldAt(data, "input") ?? fieldAt(data, "_input");
      if (input) facts.prompt = messagesText(input, fieldAt(data, "_response", "instructions"));
      KNOWN.read(fieldAt(data, "output", 0) ?? fieldAt(data, "_response"), reading);
    },
  };
}
